# SPDX-License-Identifier: GPL-2.0-or-later
"""`python3 -X perf`, which the report advises, puts a piece of generated code without a frame
pointer between any two functions: stacks through it are whole and in order, for the layouts of
CPython 3.12 and 3.13, of a program that calls as CPython does and, if there is one, of CPython."""
from lib import *

CHAIN = ["nap_main", "evaluate", "py::handle", "evaluate", "py::query", "evaluate_lean",
         "py::fetch", "evaluate"]
SCRIPT = """
import threading, time
def inner(): time.sleep(0.005)
def outer(): inner()
def work():
    while True: outer()
threading.Thread(target=work, daemon=True).start()
print('{}', flush=True)
input()
"""
need_root()


def check_whole(recording, comm):
    ends = recording.rows("""
        SELECT w.word, sum(s.ns) FROM all_sums s JOIN threads t ON t.id = s.thread
        JOIN stacks k ON k.id = s.user_stack
        JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end
        WHERE t.comm = ? GROUP BY 1""", comm)
    whole, all_ns = dict(ends).get("complete", 0), sum(ns for _, ns in ends)
    print(comm, ends, flush=True)
    check(all_ns and whole >= 0.99 * all_ns, f"{comm}: {ends}")


def remove_map(pid):
    if os.path.exists(f"/tmp/perf-{pid}.map"):
        os.unlink(f"/tmp/perf-{pid}.map")


# Whose code it is that a process generates is told by the interpreter's file.
shutil.copy(workload("trampolines"), "python3.99")
process = background("./python3.99", 2, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
pid = json.loads(process.stdout.readline())["pid"]
cleanup(lambda: remove_map(pid))
recording = record("-F", "0", "-p", pid, "-d", "1")
process.stdin.close()
for comm in ("aligned", "packed"):
    check_whole(recording, comm)
    stacks = [stack for stack in recording.folded("offcpu", "--state", "blocked")
              if stack[0] == comm]
    check(stacks, f"nothing of {comm}")
    for stack in stacks:
        found = [frame for frame in stack if frame in CHAIN]
        check(found == CHAIN, f"{comm}: {stack}")

for version in ("3.12", "3.13"):
    if not shutil.which(f"python{version}"):
        continue
    process = background(f"python{version}", "-X", "perf", "-c", SCRIPT, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
    # It may be no more than a name.
    if not process.stdout.readline():
        continue
    recording = record("-F", "0", "-p", process.pid, "-d", "1")
    process.stdin.close()
    process.wait(20)
    remove_map(process.pid)
    check_whole(recording, recording.threads[0]["comm"])
    check(any("py::inner" in " ".join(stack) for stack in recording.folded("offcpu")),
          f"no inner() of {version}")
