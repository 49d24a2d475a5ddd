# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about the iterators over threads
"""Two thousand threads that sleep through the window, each with its name and the whole window."""
from scale import *

crowd(2000 if SLOW == 1 else 500, window_s=1)
