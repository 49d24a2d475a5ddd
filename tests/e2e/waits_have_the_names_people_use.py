# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread waits in each of libc's and the kernel's ways to wait for another one: its line has the
name that people use for it, a lock is said to be held, and the function that wanted it is named."""
from lib import *

WAYS = {"mutex": ("mutex", "at_mutex"), "rwlock": ("rwlock", "at_rwlock"),
        "condition": ("condition", "at_condition"), "semaphore": ("semaphore", "at_semaphore"),
        "barrier": ("barrier", "at_barrier"), "sysv": ("System V semaphore", "at_sysv"),
        "queue": ("message queue", "at_queue"), "join": ("thread's end", "at_join")}
LOCKS = ("mutex", "rwlock", "sysv")

os.environ["WORKLOAD_PAUSE_MS"] = "500"
recording = record(command=[workload("primitives"), 700 * SLOW])
lines = json.loads(dwell("report", "--json", "--idle", "show", recording.path).stdout)["lines"]
for name, (known, function) in WAYS.items():
    found = [line for line in lines if line["name"] == name and line["reason"] != "no CPU"]
    check(found, f"{name} has no line: {[(line['name'], line['reason']) for line in lines]}")
    line = max(found, key=lambda line: line["total_ns"])
    check((line.get("known"), line.get("called_from")) == (known, function), f"{name}: {line}")
    check(line["sentence"].startswith("Held by ") == (name in LOCKS), f"{name}: {line['sentence']}")
