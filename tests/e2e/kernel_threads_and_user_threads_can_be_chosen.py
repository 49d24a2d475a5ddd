# SPDX-License-Identifier: GPL-2.0-or-later
"""-k records kernel threads only, -u user threads only."""
from lib import *

sleeper = Workload("deep_sleeper")
sleeper.line()


def is_kernel_thread(pid):
    """None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return bool(int(file.read().rpartition(")")[2].split()[6]) & 0x00200000)
    except OSError:
        return None


kernel = record("-a", "-k", "-d", "1s")
check(not kernel.of_process(sleeper.pid), "a user thread in -k")
check(all(is_kernel_thread(t["pid"]) is not False for t in kernel.threads), "user threads in -k")
check(len(kernel.threads) > 5, f"kernel threads: {kernel.threads}")

user = record("-a", "-u", "-d", "1s")
check(len(user.of_process(sleeper.pid)) == 5, "the sleepers are missing in -u")
check(not any(is_kernel_thread(t["pid"]) for t in user.threads), "kernel threads in -u")
check_books(kernel)
check_books(user)
