# SPDX-License-Identifier: GPL-2.0-or-later
"""A library that is loaded while the recording runs, a child that is forked and one that executes
another program: their user stacks are whole as soon as their tables are there, which is soon."""
from lib import *

need_tool("gcc")
LIBRARY = r"""
#include <unistd.h>
int nap_in_library(int n);
int nap_in_library(int n) { volatile int room[n + 8]; room[n] = n; usleep(2000); return room[n]; }
"""
PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int nap_often(int (*nap)(int)) { int sum = 0; for (int i = 0; i < 200; i++) sum += nap(i % 7); return sum; }
int main(int argc, char **argv)
{
	usleep(300000);
	void *library = dlopen("./libnap.so", RTLD_NOW);
	int (*nap)(int) = library ? (int (*)(int))dlsym(library, "nap_in_library") : NULL;
	if (!nap)
		return 1;
	if (argc > 1)
		return nap_often(nap) < 0;
	pid_t child = fork();
	if (!child)
		return nap_often(nap) < 0;
	nap_often(nap);
	waitpid(child, NULL, 0);
	execl(argv[0], "again", "-", NULL);
	return 2;
}
"""
for name, text in (("nap.c", LIBRARY), ("loads.c", PROGRAM)):
    with open(name, "w") as file:
        file.write(text)
run("gcc", "-O2", "-fomit-frame-pointer", "-shared", "-fPIC", "-o", "libnap.so", "nap.c")
run("gcc", "-O2", "-fomit-frame-pointer", "-o", "loads", "loads.c")
recording = record(command=[os.path.abspath("loads")])
rows = recording.rows("""
    SELECT t.tid, t.comm, k.unwind_end, sum(s.count) FROM all_sums s
    JOIN threads t ON t.id = s.thread JOIN stacks k ON k.id = s.user_stack
    WHERE EXISTS (WITH RECURSIVE up(id, parent, frame) AS (
        SELECT id, parent, frame FROM stacks WHERE id = s.user_stack
        UNION ALL SELECT x.id, x.parent, x.frame FROM stacks x JOIN up ON x.id = up.parent)
      SELECT 1 FROM up JOIN frames f ON f.id = up.frame WHERE f.name LIKE 'nap_in_library%')
    AND s.state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')
    GROUP BY 1, 2, 3""")
whole = sum(count for _, _, end, count in rows if end == 0)
print(rows, flush=True)
check(len({tid for tid, _, _, _ in rows}) == 2, f"not both processes: {rows}")
# Three times 200 naps; the library is new to two of them.
check(560 <= whole <= 600, f"{whole} whole stacks: {rows}")
