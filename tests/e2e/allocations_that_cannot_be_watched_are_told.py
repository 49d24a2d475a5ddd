# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 480
"""Who cannot be started with a library (a static program, one that changes its user, one for 32 bits), or
has an allocator of its own, is named and counted as a loss, and runs as it would; what is asked for wrongly
is told in a line. What the user preloads is kept, and the library is where nobody else can put another."""
from allocations import *

need_root()
need_tool("gcc")
LIBRARY = re.compile(r"/.*/libdwell_alloc-[0-9a-f]{16}\.so")
SIMPLE = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) { for (int i = 0; i < 100; i++) free(malloc(1000)); puts("ran"); return 7; }
"""
OWN = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
static char arena[1 << 20];
static size_t used;
void *malloc(size_t size)
{
	size_t at = used;
	used += (size + 15) / 16 * 16;
	return used > sizeof(arena) ? NULL : arena + at;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *old, size_t size)
{
	char *block = malloc(size);
	for (size_t i = 0; old && block && i < size; i++) block[i] = ((char *)old)[i];
	return block;
}
int main(void)
{
	for (int i = 0; i < 100; i++) *(volatile char *)malloc(1000) = 1;
	puts("ran");
	return 7;
}
"""
NARROW = """
.globl _start
_start:
    mov $4, %eax            # write
    mov $1, %ebx
    mov $text, %ecx
    mov $4, %edx
    int $0x80
    mov $1, %eax            # exit
    mov $7, %ebx
    int $0x80
.data
text: .ascii "ran\\n"
"""
MINE = r"""
#include <stdio.h>
int how_many_are_mine(void) { return 1; }
"""


def build(name, source, *options, language="c"):
    """The program's path; None if it cannot be built here."""
    path = os.path.join(TEMP, name)
    with open(f"{path}.{language}", "w", encoding="utf-8") as file:
        file.write(source)
    result = run("gcc", "-O1", "-fno-builtin", f"{path}.{language}", "-o", path, *options, status=None)
    if result.returncode:
        print(f"without {name}: {result.stderr.strip().splitlines()[-1]}", flush=True)
    return None if result.returncode else path


def losses_of(recording):
    return {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}


def allocated_by(recording, pattern):
    return recording.rows(
        "SELECT coalesce(sum(c.events), 0) FROM counts c JOIN measures m ON m.id = c.measure"
        " JOIN threads t ON t.id = c.thread WHERE m.name = 'alloc' AND t.comm GLOB ?", pattern)[0][0]


def check_refused(program, *words):
    path = os.path.join(TEMP, "refused.dwell")
    result = dwell("record", "--alloc", "-o", path, "--", program, status=125)
    check_one_line_error(result, "--alloc", program, "no library can be put into it", "--alloc -p",
                         *words)
    check(not os.path.exists(path) and not result.stdout, "it was started")


def check_unseen(*command, exe=None, status=7, processes=1):
    """It runs, and the message, the report and its data say that so many could not be watched."""
    recording = record("--alloc=1", command=command, status=status)
    check("ran" in recording.stdout, recording.stdout)
    losses = losses_of(recording)
    check(losses.get("unwatched_processes") == processes, f"{command}: {losses}")
    text = " ".join(recording.stderr.split())
    check("not seen" in text and f"of {processes} process" in text, recording.stderr)
    check(exe is None or exe in text, recording.stderr)
    report = " ".join(dwell("report", recording.path).stdout.split())
    check("whose allocations were not seen" in report, report)
    return recording


simple = build("simple", SIMPLE)
static = build("still", SIMPLE, "-static")
narrow = build("narrow", NARROW, "-m32", "-nostdlib", "-static", language="s")
if narrow and run(narrow, status=None).returncode != 7:
    narrow = None  # a kernel without such programs
own, exported = build("own", OWN), build("exported", OWN, "-rdynamic")
check(simple and own and exported, "gcc builds nothing")

# All is well: nothing is said, the status is the program's, nothing stays.
recording = record("--alloc=1", command=[simple], status=7)
check("not seen" not in recording.stderr, recording.stderr)
check(not losses_of(recording).get("unwatched_processes"), losses_of(recording))
check(allocated_by(recording, "simple") >= 100, "it was not watched")

# As the COMMAND itself: refused if its file says so.
if static:
    check_refused(static, "statically linked")
if narrow:
    check_refused(narrow, "32-bit")
changing = os.path.join(TEMP, "changing")
shutil.copy(simple, changing)
os.chown(changing, 1234, -1)
os.chmod(changing, 0o4755)
check_refused(changing, "set-uid")
group = os.path.join(TEMP, "group")
shutil.copy(simple, group)
os.chown(group, -1, 1234)
os.chmod(group, 0o2755)
check_refused(group, "set-gid")
sanitized = build("sanitized", SIMPLE, "-fsanitize=address")
if sanitized:
    check_refused(sanitized, "sanitizer")
# It changes nothing: the user has been that one all along.
same = os.path.join(TEMP, "same")
shutil.copy(simple, same)
os.chmod(same, 0o6755)
check(allocated_by(record("--alloc=1", command=[same], status=7), "same") >= 100, "it was not watched")

# Below the COMMAND: the others are watched.
for program in (static, changing, narrow):
    if program:
        recording = check_unseen("sh", "-c", f"{program}; exit 7")
        check(allocated_by(recording, "sh") > 0, "the shell was not watched")
if static:
    check_unseen("sh", "-c", f"{static}; {simple}; {static}; exit 7", processes=2)

# With an allocator of its own, whether it shows it to libraries or not.
for program in (own, exported):
    check_unseen(program, exe=program)

# What the user preloads.
mine = build("mine.so", MINE, "-shared", "-fPIC")
code = ("import ctypes, os; print(ctypes.CDLL(None).how_many_are_mine(), "
        "sum('libdwell_alloc-' in line for line in open('/proc/self/maps')) > 0)")
recording = record("--alloc", command=[sys.executable, "-c", code],
                   env={**os.environ, "LD_PRELOAD": mine})
check(recording.stdout.split() == ["1", "True"], recording.stdout)

# Where the library is, nobody but root can put another one, and all can load it. It stays: what outlives the
# recording starts programs with it.
recording = record("--alloc=1", command=["sh", "-c", "echo $LD_PRELOAD; (sleep 1; exec ls /) > after 2>&1 &"])
library = recording.stdout.split()[0]
check(LIBRARY.fullmatch(library), library)
for path in (library, os.path.dirname(library)):
    status = os.stat(path)
    check(status.st_uid == 0 and status.st_mode & 0o777 == 0o755, f"{path}: {oct(status.st_mode)}")
first, files = os.stat(library), os.listdir(os.path.dirname(library))
wait_until(lambda: os.path.getsize("after") > 0, "what outlives the recording")
with open("after") as file:
    check("preload" not in file.read(), "it complains of a library that is gone")
Recorder("--alloc", command=["sleep", "1000"]).stop(status=None)
killed = Recorder("--alloc", command=["sleep", "1000"], path="killed.dwell")
kill_group(killed.process)
check(os.listdir(os.path.dirname(library)) == files, os.listdir(os.path.dirname(library)))
check(os.stat(library).st_ino == first.st_ino, "it was made anew")
# What is not our library is not loaded.
with open(library, "r+b") as file:
    file.write(b"nothing of the kind")
recording = record("--alloc=1", command=[simple], status=7)
check(allocated_by(recording, "simple") >= 100, "it was not watched")

# Wrong words.
for text in ("0", "-1", "x", "2G", ""):
    check_one_line_error(dwell("record", f"--alloc={text}", "-d", "1s", "-a", status=2), "--alloc=",
                         "one byte in how many")
    # The status of a COMMAND that was not started is that of env's and timeout's.
    check_one_line_error(dwell("record", f"--alloc={text}", "--", "true", status=125), "--alloc=")
for target in ([], ["-a"], ["-n", "x*"]):
    check_one_line_error(dwell("record", "--alloc", "-d", "1s", *target, status=2), "--alloc",
                         "COMMAND", "-p PID")
check_one_line_error(dwell("record", "--alloc", "4K", "--", "true", status=127), "--alloc=4K")
check_one_line_error(dwell("record", "--alloc", "--", "/no/such/program", status=127),
                     "/no/such/program")
