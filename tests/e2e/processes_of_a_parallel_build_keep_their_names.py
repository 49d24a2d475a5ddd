# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads both CPUs
"""A parallel build: compilers and assemblers are all there under their names and programs."""
from load import SOURCE
from scale import *

FILES = 12
for tool in ("make", "cc", "as"):
    need_tool(tool)
for number in range(FILES):
    with open(f"{number}.c", "w") as file:
        file.write(SOURCE.format(number=number) + "F(1)\n")
with open("Makefile", "w") as file:
    file.write("all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\tcc -c $< -o $@\n")
recording = record(command=["make", "-s", "-j4"])
check_no_lost_time(recording)
check_books(recording)
for name in ("cc1", "as"):
    check(len(recording.named(name)) == FILES, f"{len(recording.named(name))} of {name}")
names = {t["comm"]: t["exe"] for t in recording.threads}
check(set(names) >= {"make", "cc", "cc1", "as"}, f"{names}")
check(all(t["exe"] for t in recording.threads), "a thread without a program")
check(all(t["exe"].endswith("/cc1") for t in recording.named("cc1")), "another's program")
print("leaves without a name:", check_objects(recording), flush=True)
