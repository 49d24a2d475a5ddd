# SPDX-License-Identifier: GPL-2.0-or-later
"""With the smallest memory the unwind tables of what runs do not all fit: recording goes on, what
found no room is counted and said, stacks that need it end there with a reason, and the books hold."""
from lib import *

need_tool("gcc")
if os.uname().machine != "x86_64":
    skip("the program is in x86-64's assembly", is_optional=True)
# 400,000 rows: more than the 262,144 that 8M have room for.
with open("large.c", "w") as file:
    file.write(r"""
#include <unistd.h>
__asm__(".text\n.rept 200000\n.cfi_startproc\npush %rbx\n.cfi_adjust_cfa_offset 8\nnop\npop %rbx\n"
        ".cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.endr\n");
int main(void) { for (;;) usleep(1000); }
""")
run("gcc", "-O2", "-o", "large", "large.c")
large = background("./large")
recording = record("-p", large.pid, "-d", "2", "--memory", "8M")
check_books(recording)
losses = {loss["loss"]: loss for loss in recording.report["accounting"]["losses"]}
check("unwind_tables" in losses, f"nothing was lost: {recording.report['accounting']}")
ends = {part["end"] for part in recording.report["accounting"]["incomplete_user_stacks"]}
check(ends == {"no room for a file's unwind table: raise --memory"}, f"{ends}")

recording = record("-p", large.pid, "-d", "2")
check(not {loss["loss"] for loss in recording.report["accounting"]["losses"]} & {"unwind_tables"},
      f"{recording.report['accounting']}")
shares = recording.report["accounting"]["complete_user_stacks"]
check(shares["by_time"] > 0.99, f"{recording.report['accounting']}")
