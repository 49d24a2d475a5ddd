# SPDX-License-Identifier: GPL-2.0-or-later
"""Two thousand threads that sleep through the window, each with its name and the whole window."""
from scale import *

crowd(2000)
