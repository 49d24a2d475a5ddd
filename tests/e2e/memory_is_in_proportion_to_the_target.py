# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because tables of programs that others run (a browser has 40 MiB of them) are read when they wake a kernel worker
"""One sleeping process takes 64 MiB in all, dwell and its tables in the kernel, a whole machine 250;
what is asked for is there from the start; and the report says the two apart."""
from lib import *

need_root()
MIB = 1 << 20


def memory(recording):
    check_books(recording)
    cost = recording.report["cost"]
    check(cost["own_memory_bytes"] > 4 * MIB, f"dwell itself takes something: {cost}")
    return cost["own_memory_bytes"], cost["table_bytes"]


sleeper = background("sleep", "1000")
one = record("-p", sleeper.pid, "-d", 2)
own, tables = memory(one)
check(own + tables <= 64 * MIB, f"one process: {own / MIB:.0f} MiB, {tables / MIB:.0f} MiB of tables")
text = " ".join(dwell("report", one.path).stdout.split())
check(re.search(r"of one CPU; \d+ MiB \+ \d+ MiB in kernel", text), text)

own, few = memory(record("-a", "-d", 2))
check(own + few <= 250 * MIB, f"all: {own / MIB:.0f} MiB, {few / MIB:.0f} MiB of tables")
check(tables < few, f"{tables} bytes for one process, {few} for all")

_, asked = memory(record("-p", sleeper.pid, "-d", 1, "--memory", "128M"))
check(64 * MIB <= asked <= 128 * MIB, f"{asked} bytes of the 128 MiB that were asked for")
