# SPDX-License-Identifier: GPL-2.0-or-later
"""A start says what it is doing, and opens the window without unwind tables that take long to
read; whoever sleeps meanwhile gets its whole stack when they come. A COMMAND is not let go before
they are there. Seen before: a start without a word that waited up to 20 s for tables."""
# alone, because the files must take longer to read than the start waits for them
import pty
from lib import *

need_root()
need_tool("gcc")

# The sleeper maps files whose call frame information is a million words long, which say nothing.
LIBRARY = r"""
#include <unistd.h>
void sleep_on(void) { for (;;) sleep(1000); }
void in_long_table(void);
__asm__(".text\n"
    ".globl in_long_table\n"
    ".type in_long_table, @function\n"
    "in_long_table:\n"
    " .cfi_startproc\n"
    " sub $8, %rsp\n"
    " .cfi_def_cfa_offset 16\n"
    " call sleep_on@PLT\n"
    " add $8, %rsp\n"
    " .cfi_def_cfa_offset 8\n"
    " ret\n"
    ".rept 1000000\n"
    " .skip 1, 0x90\n"
    " .cfi_def_cfa_offset 8\n"
    ".endr\n"
    " .cfi_endproc\n"
    " .size in_long_table, . - in_long_table\n");
"""
PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void (*nap)(void) = NULL;
    for (int i = 1; i < argc; i++)
        nap = (void (*)(void))dlsym(dlopen(argv[i], RTLD_NOW), "in_long_table");
    puts("{}");
    fflush(stdout);
    nap();
    return 0;
}
"""
LIBRARIES = 60
BUILD_ID = os.urandom(16)
STARTING = re.compile(r"\r\x1b\[K(starting: [^\r]*|recording [^\r]*)")
READING = re.compile(r"starting: reading unwind tables, (\d+) of (\d+)$")


def make_sleeper():
    for name, text in (("library.c", LIBRARY), ("sleeper.c", PROGRAM)):
        with open(name, "w") as file:
            file.write(text)
    run("gcc", "-O1", "-fPIC", "-c", "library.c")
    run("gcc", "-o", "sleeper", "sleeper.c", "-ldl")
    run("gcc", "-shared", "-o", "library.so", "library.o", f"-Wl,--build-id=0x{BUILD_ID.hex()}")
    with open("library.so", "rb") as file:
        image = file.read()
    check(image.count(BUILD_ID) == 1, "which bytes are the build-id?")
    paths = []
    for number in range(LIBRARIES):
        # Of files with the same build-id only the first one is read.
        paths.append(os.path.abspath(f"library-{number}.so"))
        with open(paths[-1], "wb") as file:
            file.write(image.replace(BUILD_ID, os.urandom(len(BUILD_ID))))
    process = background("./sleeper", *paths, stdout=subprocess.PIPE, text=True)
    check(process.stdout.readline(), "the sleeper ended")
    return process.pid


def ends(path, pid):
    """How the stacks end on which the process spent its time, with that time."""
    with open_database(path) as database:
        return dict(database.execute("""
            SELECT coalesce(k.unwind_end, -1), sum(s.ns)
            FROM all_sums s JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process
            LEFT JOIN stacks k ON k.id = s.user_stack
            WHERE p.pid = ? GROUP BY 1""", (pid,)).fetchall())


def is_whole(path, pid):
    return list(ends(path, pid)) == [0]


def urgent_threads(pid):
    """Threads of it and of its helpers that are before all others, for a while."""
    found = []
    for each in [pid, *map(int, run("pgrep", "-P", pid, status=None).stdout.split())]:
        for tid in map(int, os.listdir(f"/proc/{each}/task")):
            if os.sched_getscheduler(tid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR:
                found.append(tid)
    return found


def read_terminal(master, until):
    shown = ""
    while until not in shown:
        data = os.read(master, 4096)
        check(data, f"no {until!r}: {shown!r}")
        shown += data.decode()
    return shown


sleeper = make_sleeper()
# One CPU for all of dwell, so that several cannot read the files in time.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

master, slave = pty.openpty()
process = background(DWELL, "record", "--no-cache", "-p", sleeper, "-o", "late.dwell", stderr=slave)
os.close(slave)
words = STARTING.findall(read_terminal(master, "Ctrl-C stops"))
check(words[0].startswith("starting: ") and words[-1].startswith("recording "), f"{words}")
reading = [match for match in map(READING.match, words) if match]
check(reading and words.index(reading[0][0]) > words.index(
    "starting: loading programs into the kernel"), f"{words}")
done, known = int(reading[-1][1]), int(reading[-1][2])
check(done < known and known >= LIBRARIES, f"the window waited for all tables: {words}")
wait_until(lambda: os.path.exists("late.dwell") and is_whole("late.dwell", sleeper),
           "the sleeper's whole stack")
# Who was in a hurry is so no more, and nobody has inherited it.
wait_until(lambda: not urgent_threads(process.pid), "the end of the hurry")
process.send_signal(signal.SIGINT)
shown = read_terminal(master, "recorded ")
check("starting" not in shown, f"{shown!r}")
check(process.wait(HANGS_S) == 0, f"{shown!r}")
check_books(Recording("late.dwell"))
check("in_long_table" in str(folded("late.dwell", "offcpu", "--idle", "show")),
      "the frame has no name")

# A window that ends with its COMMAND, at once. On a machine without time for it 20 s are enough.
recording = record("--no-cache", "-p", sleeper, command=["true"])
check(is_whole(recording.path, sleeper) or recording.meta()["tables_took_ns"] >= 20 * S,
      f"the command was let go before the tables were there: {ends(recording.path, sleeper)}")

# It has the priority that it would have without dwell.
recording = record(command=["nice", "-n", "3", "python3", "-c",
                            "import os; print(os.sched_getscheduler(0), os.nice(0))"],
                   preexec_fn=lambda: os.nice(5))
check(recording.stdout.split() == [str(os.SCHED_OTHER), "8"], f"its priority: {recording.stdout}")
