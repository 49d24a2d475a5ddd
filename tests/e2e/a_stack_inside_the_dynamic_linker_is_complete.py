# SPDX-License-Identifier: GPL-2.0-or-later
"""While the dynamic linker looks for a function that is called the first time, its frame is kept in
rbx, which it has pushed deep down in its own functions: the stack is whole all the same, walked in
the kernel when the thread leaves its CPU, and from outside when it has left before."""
from lib import *

PROGRAM = r"""
#include <stdio.h>
__attribute__((noinline)) int calls_first_time(void) { return puts("here") + 1; }
int main(void) { return calls_first_time() == 0; }
"""
CHAIN = ["main", "calls_first_time", "_dl_runtime_resolve", "_dl_fixup", "_dl_lookup_symbol_x",
         "do_lookup_x"]
# At the innermost function of the chain, in the look-up that the call in question needs.
SCRIPT = ["break calls_first_time", "run", "break do_lookup_x", "continue", "shell touch stopped",
          "shell sleep 3", "kill"]

need_root()
need_tool("gdb")
need_tool("gcc")
with open("lazy.c", "w") as file:
    file.write(PROGRAM)
run("gcc", "-O1", "-fno-optimize-sibling-calls", "-Wl,-z,lazy", "-o", "lazy", "lazy.c")
gdb = ["gdb", "-nx", "-q", "-batch", "-ex", "set startup-with-shell off"]
for line in SCRIPT:
    gdb += ["-ex", line]
gdb += ["./lazy"]


def check_chain(how, recording):
    longest = recording.rows("""
        SELECT s.user_stack, k.unwind_end, s.ns FROM all_sums s
        JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process
        JOIN stacks k ON k.id = s.user_stack WHERE p.name = 'lazy' ORDER BY s.ns DESC LIMIT 1""")
    check(longest and longest[0][1] == 0, f"{how}: no whole stack: {longest}")
    names = [row[0] for row in recording.rows(f"""
        WITH RECURSIVE up(depth, id) AS (SELECT 0, {longest[0][0]} UNION ALL
          SELECT depth + 1, parent FROM up JOIN stacks USING (id) WHERE parent <> 0)
        SELECT f.name FROM up JOIN stacks USING (id) JOIN frames f ON f.id = frame
        ORDER BY depth DESC""")]
    here = names.index("main") if "main" in names else 0
    found = names[here:]
    check(len(found) == len(CHAIN) and all(name.startswith(word) for name, word in
                                           zip(found, CHAIN)), f"{how}: {names}")


check_chain("in the kernel", record("-F", "0", command=gdb))
os.unlink("stopped")
background(*gdb, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
wait_until(lambda: os.path.exists("stopped"), "gdb at the look-up")
pid = int(run("pgrep", "-n", "-x", "lazy").stdout)
check_chain("from outside", record("-F", "0", "-p", str(pid), "-d", "0.5"))
