# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
# alone, because it takes most of the machine's thread numbers
"""More threads at the start than the smallest tables can be told of at once: all are there, with
their names and the whole window."""
from scale import *

crowd(25_000 if SLOW == 1 else 2000, "--memory", "8M", window_s=1)
