# SPDX-License-Identifier: GPL-2.0-or-later
"""Few files may be open: below what a recording needs it says so and how to allow more; with just
that it records many programs with their stacks and names; and a shortage in the middle of a
recording costs at most names and stacks, with their reasons, never time."""
from lib import *

need_root()
need_tool("prlimit")
FILES = 200


def limited(files, *args, **options):
    return run("prlimit", f"--nofile={files}:{files}", DWELL, "record", *args, **options)


def limit(pid, files):
    """The soft limit alone, so that it can be raised again."""
    run("prlimit", "--pid", pid, f"--nofile={files}:")


result = limited(64, "-a", "-d", "1", "-o", "none.dwell", status=3)
check_one_line_error(result, "open files", "ulimit -n")
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
needed = int(re.search(r"needs (\d+) open files", result.stderr).group(1))

# A process with many more files than may be open, each of them with a table.
program = shutil.which("true")
for i in range(FILES):
    shutil.copy(program, f"copy{i}")
mapper = background(sys.executable, "-c", f"""
import mmap, os, time
maps = []
for i in range({FILES}):
    fd = os.open(f"copy{{i}}", os.O_RDONLY)
    maps.append(mmap.mmap(fd, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC))
    os.close(fd)
open("ready", "w").close()
time.sleep(1000)""")
wait_until(lambda: os.path.exists("ready"), "mapping the files")
sleeper = Workload("deep_sleeper")
tids = sleeper.line()
limited(needed, "-a", "-d", 2, "-o", "few.dwell")
recording = Recording("few.dwell")
check_books(recording)
check(recording.of_process(mapper.pid), "the process with the files is not there")
shares = recording.report["accounting"]["complete_user_stacks"]
check(shares["by_time"] > 0.95, f"{recording.report['accounting']}")
stacks = [stack for stack in recording.folded("offcpu") if stack[0] == "deep_sleeper"]
check(any("main" in stack for stack in stacks), f"no names: {stacks}")

# Not one file can be opened for a second, in which processes come and go.
recorder = Recorder("-a")
with open(f"/proc/{recorder.pid}/limits") as file:
    usual = re.search(r"Max open files\s+(\d+)\s+(\d+)", file.read()).group(2)
limit(recorder.pid, 3)
for _ in range(20):
    run(shutil.which("sh"), "-c", "sleep 0.02; :")
time.sleep(1)
limit(recorder.pid, usual)
time.sleep(1)
recording = recorder.stop()
check_books(recording)
check(len(recording.named("sleep")) >= 20, f"{len(recording.named('sleep'))} of 20 processes")
unnamed = recording.rows("SELECT count(*) FROM frames WHERE name = '' AND reason = 0")[0][0]
check(not unnamed, f"{unnamed} frames have neither a name nor a reason")
