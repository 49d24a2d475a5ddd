# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each kernel keeps its stacks in its own way
# alone, because it counts what many threads do
"""Under loads of many kinds every stack that was known without a walk is walked, too: all are the same."""
from stacks import *

load = stress(10 * SLOW, "pipe", "futex", "sock", "epoll", "fork", "mutex", "fifo", "eventfd", "poll", "sem")
recording = record("-a", "--audit", "1", "-d", str(5 * SLOW))
load.wait(HANGS_S)
check_stacks(recording, known_share=0.5)
