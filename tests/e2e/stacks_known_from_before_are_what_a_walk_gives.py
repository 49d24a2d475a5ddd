# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each kernel keeps its stacks in its own way
# alone, because it counts what many threads do
"""Under loads of many kinds every stack that was known without a walk is walked, too: all are the same."""
from stacks import *

load = stress(HANGS_S, "pipe", "futex", "sock", "epoll", "mutex", "fifo", "eventfd", "poll", "sem")
recording = record_switches(6_000 if SLOW == 1 else 2_000, "-a", "--audit", "1")
kill_group(load)
check_stacks(recording, known_share=0.3)
