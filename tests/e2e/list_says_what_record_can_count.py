# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it asks the kernel
"""`dwell list` shows what record -e can count: software events, tracepoints with the fields that are
numbers, functions and probes of a file; what this machine does not have is a line with the reason.
What nothing matches is said in a sentence, with the nearest names, and ends with 1."""
from lib import *
from traces import need_tracefs

need_root()
need_tracefs()
everything = dwell("list").stdout
for word in ("Software events", "page-faults", "sched:sched_switch", "syscalls:sys_exit_write", "uprobe:PATH:FUNCTION"):
    check(word in everything, f"no {word} in: {everything[-2000:]}")
check(max(map(len, everything.splitlines())) <= 100, "too wide")
data = json.loads(dwell("list", "--json").stdout)
check({"software", "hardware", "tracepoints", "probes", "functions", "ways", "missing"} == set(data), f"{set(data)}")

# As many tracepoints as tracefs has, and the same numbers.
events = set()
for path in glob.glob("/sys/kernel/tracing/events/*/*/format"):
    category, name = path.split("/")[-3:-1]
    if category != "ftrace":
        events.add(f"{category}:{name}")
names = [point["name"] for point in data["tracepoints"]]
check(set(names) == events and len(names) == len(events), f"{set(names) ^ events}")
fields = {point["name"]: {field["name"]: field for field in point["fields"]} for point in data["tracepoints"]}
check(fields["syscalls:sys_exit_write"]["ret"] == {"name": "ret", "type": "long", "is_number": True}, "ret")
check(not fields["sched:sched_switch"]["prev_comm"]["is_number"], "prev_comm")
check(fields["kmem:mm_page_alloc"]["order"]["is_number"], "order")

# What there is, and why the rest is not: of hardware events either.
missing = {row["name"]: row["about"] for row in data["missing"]}
check(data["hardware"] or "hardware events" in missing, f"{missing}")
check(any("kprobe" in row["name"] for row in data["ways"]) != ("kprobes" in missing), f"{missing}")
check("tracepoints" not in missing, f"{missing}")

# Patterns: of several the numbers, of one all fields.
some = dwell("list", "sched:sched_process_*").stdout
check("sched:sched_process_fork" in some and "(no number)" not in some and "page-faults" not in some, some)
one = dwell("list", "sched:sched_switch").stdout
check(re.search(r"prev_comm +char\[16\] \(no number\)", one) and re.search(r"prev_prio +int\n", one), one)
check("(no number)" in dwell("list", "-v", "sched:sched_process_*").stdout, "-v")
check("syscalls:sys_enter_openat" in dwell("list", "syscall:openat").stdout, "syscall:")
check("syscalls:sys_exit_openat" in dwell("list", "syscall:openat:ret").stdout, "syscall:...:ret")
check("sched:sched_switch" in dwell("list", "sched_switch").stdout, "a part of a name")
check(dwell("list", "page-faults").stdout.count("\n") == 2, "one event")

# A file's functions.
program = workload("callers")
symbols = run("readelf", "-Ws", program).stdout if shutil.which("readelf") else ""
listed = json.loads(dwell("list", f"uprobe:{program}:main", "--json").stdout)["functions"]
check([row["name"] for row in listed] == ["main"], f"{listed}")
listed = json.loads(dwell("list", f"uprobe:{program}", "--json").stdout)["functions"]
for name in re.findall(r" FUNC +(?:LOCAL|GLOBAL) +DEFAULT +\d+ (\w+)$", symbols, re.M):
    check(any(row["name"].strip("_") in name for row in listed), f"no {name} in {listed}")
check_one_line_error(dwell("list", f"uprobe:{program}:mainn", status=1), "near are main")
check_one_line_error(dwell("list", f"usdt:{program}", status=1), "no probes")
check_one_line_error(dwell("list", "uprobe:/etc/passwd:x", status=2), "no program or library")
check_one_line_error(dwell("list", "uprobe:/no/such/file:x", status=2), "/no/such/file")
check_one_line_error(dwell("list", "uprobe:program:x", status=2), "whole path")

# What is not there.
check_one_line_error(dwell("list", "sched:sched_swich", status=1), "sched:sched_switch")
check_one_line_error(dwell("list", "no-such-*", status=1), "no-such-*")
check_one_line_error(dwell("list", "a", "b", status=2), "one pattern")
if "hardware events" in missing and "no PMU" in missing["hardware events"]:
    check_one_line_error(dwell("list", "cycles", status=1), "no PMU")

# A reader that has seen enough is no error.
pipe = subprocess.run(["sh", "-c", f"'{DWELL}' list | head -1; wait"], text=True, capture_output=True)
check(pipe.stdout == "Software events\n" and pipe.stderr == "", f"{pipe}")
check("\033" not in dwell("list", env=dict(os.environ, NO_COLOR="1")).stdout, "colours")

# Without rights it shows the rest; without tracefs it says how to mount it.
if shutil.which("setpriv"):
    os.chmod(TEMP, 0o755)
    shutil.copy(DWELL, "dwell")
    os.chmod("dwell", 0o755)
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", os.path.abspath("dwell"), "list")
    shown = run(*nobody).stdout
    check("page-faults" in shown and re.search(r"tracepoints +cannot .*be root", shown), shown)
    check_one_line_error(run(*nobody, "sched:sched_switch", status=1), "be root")
if shutil.which("unshare"):
    HIDE = "while umount -l /sys/kernel/debug/tracing || umount -l /sys/kernel/tracing || umount -l /sys/kernel/debug; do :; done 2>/dev/null; "
    shown = run("unshare", "-m", "sh", "-c", HIDE + 'exec "$0" "$@"', DWELL, "list").stdout
    check("mount -t tracefs none /sys/kernel/tracing" in " ".join(shown.split()), shown[-1000:])
