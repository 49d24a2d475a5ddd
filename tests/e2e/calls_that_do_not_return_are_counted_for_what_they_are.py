# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because returns of functions are watched otherwise by other kernels
"""Calls that are too deep, that longjmp() leaves, in which their thread ends, by pthread_exit() or by the
system call, or executes another program, and that had begun before the recording are counted, each as what
it is, and not as calls that were timed; one that has not ended is told, with its age and where it is."""
from calls import *

need_root()
NAMES = ("early_call", "deep_call", "jump_call", "exit_call", "die_call", "exec_call", "stuck_call")
MOST_TIMED = 8  # of one thread at once
UNTIMED = ("begun_before", "left", "died_inside", "too_deep", "unmatched", "in_interrupt")


def check_counts(recording, log):
    want = {name: {} for name in NAMES}
    want["deep_call"] = {"count": MOST_TIMED, "too_deep": log["deep"] - MOST_TIMED}
    want["jump_call"] = {"left": log["left"]}
    want["exit_call"] = {"died_inside": log["exited"]}
    want["die_call"] = {"died_inside": log["died"]}
    want["exec_call"] = {"died_inside": log["executed"]}
    got = {name: {word: number for word in ("count", *UNTIMED)
                  if (number := function_of(recording, f":{name}")[word])} for name in NAMES}
    opened = {name: len(function_of(recording, f":{name}")["open"]) for name in NAMES}
    # Its beginning was not seen, so its end is not either, where returns are watched by the kernel.
    check(got.pop("early_call") in ({}, {"begun_before": 1}, {"unmatched": 1}), got)
    want.pop("early_call")
    check(got == want, f"counted {got}, called {want}")
    check({name: number for name, number in opened.items() if number} == {"stuck_call": 1}, f"not ended: {opened}")


def check_deep(recording):
    """Of calls within calls all are in the histogram, and the outermost one's time is the function's."""
    deep = function_of(recording, ":deep_call")
    bands = sum(band["ns"] for band in deep["bands"])
    print(f"deep: {deep['wall_ns']} ns, {bands} with those within, the longest {deep['max_ns']}")
    check(deep["wall_ns"] == deep["max_ns"] and bands > deep["wall_ns"], f"{deep}")
    inner, = recording.rows("SELECT sum(c.is_inner * count) FROM calls c JOIN functions f ON f.id = c.function"
                            " WHERE f.name LIKE '%:deep_call'")[0]
    check(inner == MOST_TIMED - 1, f"{inner} within another")


def check_stuck(recording, log):
    """Its age is from its beginning to the window's end, and nearly all of it was in the lock."""
    stuck, = function_of(recording, ":stuck_call")["open"]
    print(stuck)
    check((stuck["tid"], stuck["comm"], stuck["state"]) == (log["stuck_tid"], "stuck", "blocked"), f"{stuck}")
    check(stuck["is_slow"] and not stuck["is_inner"] and "stuck_lock" in stuck["awaited"], f"{stuck}")
    # It began right after the log's clock was read, if the thread had its CPU meanwhile.
    check(stuck["wall_ns"] <= log["age_ns"], f"{stuck}, {log}")
    check(stuck["wall_ns"] >= log["least_age_ns"], f"{stuck}, {log}")
    check(stuck["blocked_ns"] >= stuck["wall_ns"] - stuck["woken_ns"] - stuck["preempted_ns"] - 5 * MS * SLOW, f"{stuck}")
    check("stuck_call" in stuck["stack"] and "stuck_main" in stuck["stack"], f"{stuck}")


caller = Workload("call_exits")
caller.line()
# Of all processes: its child executes another program, too.
recorder = Recorder("-a", *calls_of((f"{workload('call_exits')}:{name}" for name in NAMES), "--slower", "100ms"))
caller.go()
log = caller.line()
seen_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
wait_until(lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC) > seen_ns + 500 * MS, "an age")
log["least_age_ns"] = 500 * MS
recording = recorder.stop()
log["age_ns"] = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - log["stuck_ns"]
check_laws(recording)
check_counts(recording, log)
check_deep(recording)
check_stuck(recording, log)
text = dwell("report", recording.path, "--full", "--width", "100").stdout
print(text)
check(re.search(r"not ended: thread stuck \d+, for .*, blocked in futex for mutex stuck_lock", text), text)
for words in ("3 too deep within others", "8 left by longjmp", "1 whose thread ended within"):
    check(words in " ".join(text.split()), f"{words}: {text}")
check(not re.search(r"not called:.*(die|exit|exec|jump)_call", " ".join(text.split())), text)
caller.end()
