# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations with programs that have to be installed first."""
SITUATIONS = []
