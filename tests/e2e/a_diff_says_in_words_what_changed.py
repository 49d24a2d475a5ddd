# SPDX-License-Identifier: GPL-2.0-or-later
"""Of two builds whose answers from another process became slower, diff says so in a sentence: how
much longer, for which reason, in which function, and who ended the waits. Its sums are those of the
comparison, and rows that would read 0.000 are left out."""
from lib import *

need_root()
SOURCE = """
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
static void nap(long ms) { struct timespec t = {0, ms * 1000000L}; nanosleep(&t, 0); }
static void answer(int from, int to) {
	char byte;
	prctl(PR_SET_NAME, "answerer");
	while (read(from, &byte, 1) == 1) { nap(SLOW); if (write(to, &byte, 1) != 1) return; }
}
__attribute__((noinline)) void ask(int to, int from) {
	char byte = 0;
	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1) _exit(1);
	__asm__("");
}
int main(void) {
	int there[2], back[2];
	if (pipe(there) || pipe(back)) return 1;
	if (!fork()) { close(there[1]); close(back[0]); answer(there[0], back[1]); _exit(0); }
	sleep(1); /* on a busy machine tables come later than the program starts */
	for (int i = 0; i < 20; i++) { ask(there[1], back[0]); nap(5); }
	return 0;
}
"""
with open("p.c", "w") as file:
    file.write(SOURCE)
for name, slow in (("before", 5), ("after", 40)):
    os.mkdir(name)
    run("cc", "-O1", "-g", f"-DSLOW={slow}", "p.c", "-o", f"{name}/asker")
    dwell("record", "-q", "-o", f"{name}.dwell", "--", f"{name}/asker")


def diff(*options):
    return json.loads(dwell("diff", "before.dwell", "after.dwell", "--json", *options).stdout)


# The asker's own view: its answerer waits for the next question just as long.
raw = diff("--raw", "-n", "asker")
by = raw["by"]
grew = 20 * 35 * MS
for question, name in (("state", "blocked"), ("reason", "pipe"), ("waker", "answerer"),
                       ("thread", "asker")):
    first = by[question][0]
    check(first["name"] == name, f"most of {question} is {by[question][:3]}, not {name}")
    check_between(f"growth of {name}", first["change"] * S, 0.8 * grew, 4 * grew)
check(raw["functions"][0]["function"] == "ask", f"{raw['functions'][:3]}")
for side in ("before", "after"):
    for question in ("reason", "thread"):
        told = sum(fact[side] for fact in by[question])
        check(abs(told - raw[f"total_{side}"]) < 1e-6, f"{question} {side}: {told}, not {raw}")
    states = sum(fact[side] for fact in by["state"])
    running = sum(fact[side] for fact in by["state"] if fact["name"] == "running")
    check(abs(states - running - raw[f"total_{side}"]) < 1e-6, f"states {side}: {by['state']}")

# What the words are made of adds up to what the table is made of, whatever is compared.
for view in ("offcpu", "oncpu", "runq", "hotcold", "wakeup", "offwake", "chain"):
    for options in (("--weight", "time"), ("--weight", "count"), ("--normalize", "total"), ("--roots",)):
        if options == ("--roots",) and view not in ("wakeup", "offwake", "chain"):
            continue
        result = dwell("diff", "before.dwell", "after.dwell", "--json", "--view", view, *options, status=None)
        if "is empty" in result.stderr and options == ("--weight", "count"):
            continue  # no samples hit it
        made = json.loads(result.stdout)
        for side in ("before", "after"):
            told = sum(fact[side] for fact in made["by"]["thread"])
            check(abs(told - made[f"total_{side}"]) < 1e-6 * max(1, told),
                  f"{view} {options} {side}: {told}, not {made[f'total_{side}']}")

shares = " ".join(dwell("diff", "before.dwell", "after.dwell", "--normalize", "total").stdout.split())
check("In short, as shares of each whole (off-CPU time)." in shares, shares)
counts = " ".join(dwell("diff", "before.dwell", "after.dwell", "--weight", "count").stdout.split())
check("Figures are per second of recording" in counts and "off-CPU time" not in counts, counts)

text = dwell("diff", "before.dwell", "after.dwell", "--raw", "-n", "asker").stdout
words = " ".join(text.split())
check(re.search(r"In short: off-CPU time (is [0-9.]+ times what it was|grew from)", words), words)
check(re.search(r"of the change .*is pipe, .*is in ask \(asker\)", words), words)
check("is for pipe *" in words and "was ended by answerer" in words, words)
check(text.index("In short") < text.index("slower"), "the words come first")

with open("a.folded", "w") as file:
    file.write("a;same 1000000\na;hardly 100\na;more 100000\n")
with open("b.folded", "w") as file:
    file.write("a;same 1000000\na;hardly 101\na;more 500000\n")
rows = dwell("diff", "a.folded", "b.folded", "--normalize", "total").stdout
check("more" in rows and "hardly" not in rows, f"a row of zeros: {rows}")
listed = json.loads(dwell("diff", "a.folded", "b.folded", "--json").stdout)
check(any(row["function"] == "hardly" for row in listed["functions"]), "JSON has everything")
check("In short" not in rows and "by" not in listed, "text has no reasons")
