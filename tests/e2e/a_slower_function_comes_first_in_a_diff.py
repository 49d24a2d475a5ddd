# SPDX-License-Identifier: GPL-2.0-or-later
"""Of two builds of a program in which one function was made slower, diff names that function first;
a recording against itself has no change, and the gate follows."""
from lib import *

need_root()
SOURCE = """
#include <time.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void nap_long(long ms) { struct timespec t = {0, ms * 1000000L}; nanosleep(&t, 0); __asm__(""); }
__attribute__((noinline)) void nap_short(long ms) { struct timespec t = {0, ms * 1000000L}; nanosleep(&t, 0); __asm__(""); }
__attribute__((noinline)) void burn(long n) { for (volatile long i = 0; i < n; i++); }
int main(void) { sleep(1); for (int i = 0; i < 20; i++) { nap_short(5); nap_long(SLOW); burn(BURN); } return 0; }
"""
with open("p.c", "w") as file:
    file.write(SOURCE)
# The program sleeps first: on a busy machine its tables come later than it starts.
for name, slow, burn in (("before", 5, 100000), ("after", 30, 100000), ("hot", 5, 20000000)):
    os.mkdir(name)
    run("cc", "-O1", "-g", "-fno-omit-frame-pointer", f"-DSLOW={slow}", f"-DBURN={burn}", "p.c", "-o",
        f"{name}/prog")
    dwell("record", "-q", "-F", "997", "-o", f"{name}.dwell", "--", f"{name}/prog")


def diff(before, after, *options):
    # Naps are idle.
    return json.loads(dwell("diff", before, after, "--json", "--idle", "show", *options).stdout)


same = diff("before.dwell", "before.dwell")
check(same["functions"] == [] and same["worst_growth"] == 0, f"{same}")
check("Nothing changed" in dwell("diff", "before.dwell", "before.dwell").stdout, "text")

hot = diff("before.dwell", "hot.dwell", "--view", "oncpu", "--raw")
check(hot["functions"][0]["function"] == "burn", f"{hot['functions'][:3]}")
check(hot["functions"][0]["change"] == "slower" or hot["functions"][0]["change"] == "new", "slower")

# Off-CPU stacks are by frame pointers, which skip the function that called the C library: the time
# of both naps is main's, and it is main that became slower.
slow = diff("before.dwell", "after.dwell", "--raw")
first = slow["functions"][0]
check(first["object"] == "prog" and first["change"] == "slower", f"{slow['functions'][:3]}")
# Off-CPU time holds waits for a CPU, too.
check_between("growth", first["own_change"] * S, 0.8 * 500 * MS, 3 * 500 * MS)

def aside(*options):
    text = dwell("diff", "before.dwell", "after.dwell", *options).stdout
    return re.search(r"idle time is set aside, .* before and .* after \(--idle show\)",
                     " ".join(text.split()))


check(aside() and not aside("--idle", "show"), "what is not compared is said")

dwell("diff", "before.dwell", "before.dwell", "--fail-above", "5%")
dwell("diff", "before.dwell", "after.dwell", "--raw", "--idle", "show", "--fail-above", "5%", status=1)
dwell("diff", "before.dwell", "after.dwell", "-o", "d.svg")
drawn = open("d.svg").read()
check("offcpu: after.dwell against before.dwell before; idle time is set aside" in drawn, "subtitle")
check(open("d.svg").read().startswith("<?xml") or "<svg" in open("d.svg").read(), "a picture")
dwell("diff", "before.dwell", "after.dwell", "-o", "d.folded")
check(all(len(line.rsplit(" ", 2)) == 3 for line in open("d.folded")), "two columns")
check_one_line_error(dwell("diff", "before.dwell", status=2), "two files")
check_one_line_error(dwell("diff", "before.dwell", "nothing.dwell", status=2), "nothing.dwell")
