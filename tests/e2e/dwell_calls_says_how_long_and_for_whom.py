# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell calls prints a table of what it watched, by thread or process if asked, or all of it as JSON, and leaves a
recording that says the same; its status says whether anything was called. What would cost the program too
much is refused with the figure, and done by force."""
from calls import *

need_root()
PROGRAM = workload("many_functions")
COMMAND = ["sh", "-c", f"echo | {PROGRAM} 30; echo | {PROGRAM} 12"]


def row_of(text, name):
    rows = [line.split() for line in text.splitlines() if line.strip().startswith(name)]
    check(rows, f"no row of {name}: {text}")
    return rows[0]


# Of a command and its children, by process; what is printed is the recording's.
table = dwell("calls", "--by", "process", "--width", "100", "-o", "calls.dwell", f"{PROGRAM}:f_0007",
              f"{PROGRAM}:f_0008", "--", *COMMAND)
print(table.stdout)
check(row_of(table.stdout, "many_functions:f_0007")[1] == "42", table.stdout)
check("R running, q no CPU, B blocked" in table.stdout, table.stdout)
recording = Recording("calls.dwell")
check_laws(recording)
for name in ("f_0007", "f_0008"):
    check(function_of(recording, name)["count"] == 42, f"{name}")
report = json.loads(dwell("report", "calls.dwell", "--json", "--by", "thread").stdout)
of_threads = [sorted(name["count"] for name in one["names"]) for one in report["calls"]]
check(of_threads == [[12, 30], [12, 30]], f"{of_threads}")
check("slow:FUNCTION" in dwell("flame", "calls.dwell", "--view", "slow", status=2).stderr, "no such view is told")

# As JSON, and into last.dwell.
document = json.loads(dwell("calls", "--json", f"{PROGRAM}:f_0007", "--", "sh", "-c",
                             f"echo | {PROGRAM} 5 >/dev/null").stdout)
check([(one["name"], one["count"]) for one in document["calls"]] == [("many_functions:f_0007", 5)], f"{document['calls']}")
check(function_of(Recording("last.dwell"), "f_0007")["count"] == 5, "last.dwell is of something else")

# Nobody calls it.
result = dwell("calls", f"{PROGRAM}:f_0007", "-d", "300ms", status=1)
check("not called in" in result.stderr and "f_0007" in result.stderr, result.stderr)
result = dwell("calls", f"{PROGRAM}:f_0007", "-d", "300ms", "--json", status=1)
check(json.loads(result.stdout)["calls"][0]["count"] == 0, result.stdout)

# A function by two of its names is one.
result = dwell("calls", "libc:write", "libc:__write", "-o", "alias.dwell", "--", "sh", "-c", "echo once")
check("libc:__write is libc:write, which is watched" in result.stderr, result.stderr)
check(not re.search("^libc:__write", result.stdout, re.M), result.stdout)

# Functions of some ns, called all the time, in a process that does nothing else.
caller = Workload("many_functions", 10**7)
caller.go()
result = dwell("calls", "-p", caller.pid, "f_00*", "-d", "300ms", status=2)
check_one_line_error(result, "times a second", "--overhead allows 20 %", "--force")
check(os.path.exists("last.dwell"), "the recording of before is gone")
result = dwell("calls", "-p", caller.pid, "f_00*", "-d", "300ms", "--force", "--top", "3", "--width", "100")
check(len(re.findall(r"^many_functions:f_00\d\d +\d", result.stdout, re.M)) == 3, result.stdout)
check("97 more functions" in result.stdout, result.stdout)
caller.kill()
