# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because its tables have to come in time
"""A process that falls asleep before its tables are read gets its stack when they come, while it
still waits, and not only when the next slice ends: here programs that sleep at once, and whose
tables have half a million rows."""
from lib import *

PROGRAM = r"""
#include <unistd.h>
void take_nap(void) { usleep(400000); }
void in_large_table(void);
__asm__(".text\n"
    ".type in_large_table, @function\n"
    "in_large_table:\n"
    " .cfi_startproc\n"
    " sub $8, %rsp\n"
    " .cfi_def_cfa_offset 16\n"
    " call take_nap\n"
    " add $8, %rsp\n"
    " .cfi_def_cfa_offset 8\n"
    " ret\n"
    ".rept 250000\n"
    " .skip 4, 0x90\n"
    " .cfi_def_cfa_offset 16\n"
    " .skip 4, 0x90\n"
    " .cfi_def_cfa_offset 8\n"
    ".endr\n"
    " .cfi_endproc\n"
    " .size in_large_table, . - in_large_table\n");
int main(void) { in_large_table(); return 0; }
"""

NAPS = 8

need_root()
need_tool("gcc")
with open("nap.c", "w") as file:
    file.write(PROGRAM)
run("gcc", "-O1", "-c", "nap.c")
for number in range(NAPS):
    # Of files with the same build-id only the first one is read.
    run("gcc", "-o", f"nap-{number}", "nap.o", f"-Wl,--build-id=0x{number:02}{os.getpid():08x}")
recording = record("--no-cache", command=["sh", "-c", "for nap in ./nap-?; do $nap; done"])
check_books(recording)
naps = recording.rows("""
    SELECT p.name, coalesce(k.unwind_end, -1), s.ns
    FROM all_sums s JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process
    LEFT JOIN stacks k ON k.id = s.user_stack
    WHERE p.name LIKE 'nap-%' AND s.letter = 'S' AND s.ns BETWEEN 400000000 AND 500000000""")
check(len(naps) == NAPS, f"naps: {naps}")
whole = [name for name, end, _ in naps if end == 0]
# On a busy machine one or the other may be over before its table is read.
check(len(whole) >= NAPS - 2, f"{len(whole)} whole stacks only: {naps}")
