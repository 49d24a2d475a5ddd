# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads both CPUs
"""When the table of waits fills up and nobody drains it, new waits keep one hop of their chain, then
none; they are counted, their shares add up, and no time is lost."""
from wakers import *

load = background(workload("ring"), 20, 10_000_000)
time.sleep(0.5)
recorder = Recorder("-n", "r*", "-F", "0", "-d", "4s", "--slice", "1ms", "--memory", "8M")
recorder.process.send_signal(signal.SIGSTOP)
time.sleep(2)
recorder.process.send_signal(signal.SIGCONT)
recording = recorder.wait()
kill_group(load)
check_chains(recording)
check_books(recording)
losses = dict(recording.rows("SELECT name, count FROM losses"))
check(losses.get("chain_overflow", 0) > 0, f"no chain was shortened: {losses}")
shorter = dict(recording.rows("SELECT hop_count, sum(sums.count) FROM sums JOIN chains "
                              "ON chains.id = sums.chain WHERE chain_end = 6 GROUP BY hop_count"))
check(shorter.get(1, 0) > 0, f"waits by what is left of their chains: {shorter}")
check(set(shorter) <= {0, 1}, f"longer than one hop: {shorter}")
# What fitted nowhere, not even without stack and chain, is in the threads' totals alone.
unsliced = dict(recording.rows("SELECT name, ns FROM losses")).get("unsliced", 0)
rows = recording.rows("SELECT sum(ns) FROM sums WHERE state < 4")[0][0]
totals = recording.rows("SELECT sum(running_ns + woken_ns + preempted_ns + blocked_ns) "
                        "FROM threads")[0][0]
check(rows + unsliced == totals, f"{rows} ns in rows, {unsliced} in none, {totals} in all")
