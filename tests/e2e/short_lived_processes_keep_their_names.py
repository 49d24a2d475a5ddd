# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
"""Thousands of processes that live for a millisecond: no time is lost, and each has its name, its
program, and objects for its user frames."""
from scale import *

spawn(3000 // SLOW)
