# SPDX-License-Identifier: GPL-2.0-or-later
"""A build starts one process after the other, each of which ends without giving back what it has. Their
blocks are followed in a table that holds those of a few: what ended makes room for what comes, and in the
end all of them are told, each as what was live when its process ended."""
from lib import *

need_root()
need_tool("gcc")
EACH, TIMES = 2000, 30
LEAVER = r"""
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < %d; i++)
		*(volatile char *)malloc(100) = 1;
	usleep(150000);
	_exit(0);
}
""" % EACH

with open("leaver.c", "w", encoding="utf-8") as file:
    file.write(LEAVER)
run("gcc", "-O1", "-fno-builtin", "leaver.c", "-o", "leaver")
recording = record("--alloc=1", "--memory", "32M", "--slice", "100ms",
                   command=["sh", "-c", f"for i in $(seq {TIMES}); do ./leaver; done"])
losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
measures = {one["name"]: one for one in recording.report["measures"]}
print(losses, {name: (one["count"], one["value"]) for name, one in measures.items()})
check(not losses.get("untracked_blocks"), losses)


def of_leavers(measure):
    return recording.rows(
        "SELECT sum(c.events), sum(c.value) FROM counts c JOIN measures m ON m.id = c.measure"
        " JOIN threads t ON t.id = c.thread WHERE m.name = ? AND t.comm = 'leaver'", measure)[0]


by_leavers = of_leavers("live")
check(by_leavers[0] >= EACH * TIMES and by_leavers[1] >= 100 * EACH * TIMES, by_leavers)
check(by_leavers[0] <= (EACH + 10) * TIMES, by_leavers)
check(measures["alloc"]["value"] == measures["freed"]["value"] + measures["live"]["value"], measures)
check(not of_leavers("leaks")[0], "what a process held when it ended is suspected")
text = " ".join(dwell("report", recording.path).stdout.split())
check("live when its process ended" in text or "of processes that had ended" in text, text)
