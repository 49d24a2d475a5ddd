# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""Twenty thousand threads that sleep through the window, and thirty thousand with little memory."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from scale import *

crowd(20_000, window_s=5)
crowd(30_000, "--memory", "8M", window_s=5)
