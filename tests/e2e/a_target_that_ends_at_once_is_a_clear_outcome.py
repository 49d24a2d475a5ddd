# SPDX-License-Identifier: GPL-2.0-or-later
"""A target that ends or executes another program while dwell starts is either recorded, with books
that balance, or one sentence says that it is gone, and no file is left."""
from lib import *

recorded = refused = 0
# From one that is gone before dwell begins to one that is there when it attaches.
for life_s in (0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.6, 3.2, 6.4, 12.8):
    target = background("sh", "-c", f"sleep {life_s / 2}; exec sleep {life_s / 2}")
    result = dwell("record", "-p", target.pid, "-d", 1, "-o", "a.dwell", status=None)
    if result.returncode == 0:
        recorded += 1
        check_books(Recording("a.dwell"))
        os.remove("a.dwell")
    else:
        refused += 1
        check(result.returncode == 2, f"status {result.returncode}: {result.stderr}")
        check_one_line_error(result, str(target.pid))
    check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
    kill_group(target)
    if recorded == 2:
        break
check(recorded, "no target lived long enough")
check(refused, "every target was recorded, even one that lived for no time at all")

# A command whose first and only deed is to become another.
recording = record(command=["sh", "-c", "exec /bin/true"])
check(recording.named("true"), f"{[thread['comm'] for thread in recording.threads]}")
check_books(recording)
