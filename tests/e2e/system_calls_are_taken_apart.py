# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because system calls are numbered and traced by the kernel
"""System calls are watched by name or pattern: each is counted, with those that fail, its time is taken apart, and
those that make threads and processes, which return twice or never, leave the books in order."""
from calls import *

need_root()
ROUNDS = 100 if SLOW == 1 else 20

caller = Workload("call_syscalls", ROUNDS)
recording, log = record_calls(caller, *calls_of(("syscall:fsync", "syscall:p*64", "syscall:nanosleep", "syscall:read")))
caller.end()
losses = check_laws(recording)
names = {one["name"] for one in recording.report["calls"]}
print(sorted(names), losses)
check({"syscall:pread64", "syscall:pwrite64", "syscall:fsync"} <= names, f"{names}")
check(all(re.fullmatch(r"syscall:(fsync|nanosleep|read|p\w*64)", name) for name in names), f"{names}")
own, = log["threads"]
thread = recording.thread(own["tid"])
blocked = 0
for name, phase in own["phases"].items():
    got = function_of(recording, f"syscall:{name}")
    blocked += got["blocked_ns"]
    print(name, {word: got[word] for word in ("count", "errors", "begun_before", "wall_ns", "running_ns", "blocked_ns")},
          phase, flush=True)
    if name == "read":
        # It reads the line that lets it go, byte by byte, and the first of these had begun before; then -1.
        check(got["errors"] == ROUNDS, f"{got['errors']} errors of {ROUNDS}")
        check(got["begun_before"] == 1 and len(got["open"]) == 1, f"{got}")
        continue
    check((got["count"], got["errors"]) == (ROUNDS, 0), f"{got}")
    check(not any(got[word] for word in UNTIMED), f"{got}")
    check(got["wall_ns"] <= phase["wall_ns"], f"{got} {phase}")
    slack = phase["wall_ns"] // 100 + ROUNDS * AROUND_NS + thread["runnable_ns"]
    check(got["wall_ns"] >= phase["wall_ns"] - slack, f"{got} {phase}")
    if name == "nanosleep":
        check(got["blocked_ns"] >= 0.9 * ROUNDS * MS, f"{got}")
    if name == "pread64":
        check(got["blocked_ns"] <= 0.1 * got["wall_ns"] + MS, f"from the cache, and blocked: {got}")
check(function_of(recording, "syscall:pwrite64")["count"] == ROUNDS, "pwrite64")
check(blocked <= thread["blocked_ns"], f"{blocked} in calls, {thread}")

text = " ".join(dwell("report", recording.path, "--full", "--width", "100").stdout.split())
check(f"{ROUNDS} returned an error" in text, text)

# Calls that return in two threads, in none, or as another program.
SPAWNS = 20 if SLOW == 1 else 5
with open("spawner.py", "w") as file:
    file.write(f"""
import os, subprocess, threading, sys
for i in range({SPAWNS}):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    subprocess.run(["/bin/true"], check=True)
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
print("done")
""")
MAKERS = "clone clone3 fork vfork execve exit exit_group wait4".split()
recording = record(*calls_of(f"syscall:{name}" for name in MAKERS), "--force", command=[sys.executable, "spawner.py"])
check(recording.stdout.strip() == "done", recording.stdout)
check_laws(recording)
counts = {one["name"][8:]: {word: one[word] for word in ("count", "errors", *UNTIMED)} | {"open": len(one["open"])}
          for one in recording.report["calls"]}
for name, count in counts.items():
    print(name, count, flush=True)
    check(not count["left"] and not count["too_deep"] and not count["unmatched"], f"{name}: {count}")
    check(not count["open"], f"{name}: {count}")
makers = [counts[name] for name in ("clone", "clone3", "fork", "vfork")]
check(sum(count["count"] for count in makers) == 3 * SPAWNS, f"{counts}")
check(counts["exit_group"]["died_inside"] == 2 * SPAWNS + 1 and not counts["exit_group"]["count"], f"{counts}")
check(counts["exit"]["died_inside"] == SPAWNS, f"{counts}")
check(counts["wait4"]["count"] == 2 * SPAWNS, f"{counts}")

# The end of a signal's handler goes on where the signal came, maybe as if another call returned there.
check_one_line_error(dwell("calls", "syscall:rt_sigreturn", "-d", "1s", status=2), "rt_sigreturn does not return")
