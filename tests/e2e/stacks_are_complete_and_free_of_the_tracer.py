# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each kernel calls its tracers by other functions
# alone, because its tables have to come in time
"""Kernel stacks go from the system call to the scheduler and hold no frame of dwell's own programs
or of the tracepoint, also where a sample hits them; user stacks name the functions of the program."""
import collections

from lib import *

PROGRAM = re.compile(r"bpf_prog_([0-9a-f]{16})")


def tags_of(pid):
    """The tags of the programs that a process holds: they are in the names of their frames."""
    tags = set()
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path) as file:
                tags |= {line.split()[1] for line in file if line.startswith("prog_tag:")}
        except OSError:
            pass
    return tags


def program_frames(pid):
    """What frames of its programs would be called, but for those that another dwell beside it has
    loaded, too."""
    with open("/proc/kallsyms") as file:
        names = [line.split()[2] for line in file if line.rstrip().endswith("[bpf]")]
    tags, counts = tags_of(pid), collections.Counter(filter(PROGRAM.match, names))
    own = {name for name in counts if PROGRAM.match(name).group(1) in tags}
    check(len(own) > 3, f"programs with names: {own} of {tags}")
    return {name for name in own if counts[name] == 1}


def check_free_of_tracer(recording, own):
    """Another tool's program may be seen, and what calls it."""
    for view in ("offcpu", "oncpu", "runq"):
        for stack in recording.folded(view):
            check(not own & set(stack), f"{view}: {';'.join(stack)}")
            check(any(map(PROGRAM.match, stack)) or not any(map(is_tracer_frame, stack)),
                  f"{view}: {';'.join(stack)}")


# Births, execs and renames are seen with interrupts on: there the sampling timer hits the programs.
# An emulated machine does little else at a high rate, and its programs are slow enough to be hit.
recorder = Recorder("-F", "9999" if SLOW == 1 else "499", command=[
    workload("spawner"), "1500" if SLOW == 1 else "100", "2", shutil.which("true")])
own = program_frames(recorder.pid)
storm = recorder.wait()
check_free_of_tracer(storm, own)
check(weight(storm.folded("oncpu"), "execve", root="true") > 0, "no exec was sampled")

background(workload("pingpong"), 10**9)
let_tables_come()
recording = record("-a", command=[workload("sleeper"), "20", "50"])
check_free_of_tracer(recording, own)

naps = [stack for stack in recording.folded("offcpu", "--state", "blocked")
        if stack[0] == "sleeper-0" and any("hrtimer_nanosleep" in frame for frame in stack)]
check(naps, "no nap")
for stack in naps:
    check(any("take_nap" in frame for frame in stack), f"no take_nap: {stack}")
    check(any("sleeper_main" in frame for frame in stack), f"no sleeper_main: {stack}")
    check(any(frame.startswith("do_syscall_64") or "el0" in frame for frame in stack), f"{stack}")
    check(stack[-1] in ("schedule", "__schedule"), f"leaf: {stack}")
    order = [next(i for i, frame in enumerate(stack) if word in frame)
             for word in ("sleeper_main", "take_nap", "clock_nanosleep", "hrtimer_nanosleep")]
    check(order == sorted(order), f"not root first: {stack}")

# Whether functions have names or not. An emulator's code, if one runs beside, nobody can walk.
accounting = recording.report["accounting"]
shares = accounting["complete_user_stacks"]
for share, least in (("by_time", 0.95), ("by_count", 0.9)):
    generated = sum(row[share] for row in accounting["incomplete_user_stacks"]
                    if row["end"].startswith("generated code"))
    check(shares[share] > least * (1 - generated), f"{share}: {accounting}")
