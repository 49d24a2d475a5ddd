# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because samples come from another clock in an emulated machine
# alone, because it compares clocks
"""A program that computes 70 % in one function and 30 % in another has these shares in oncpu, and
its whole running time; and the report says that it computes in them."""
from lib import *

let_tables_come()
# A rate that does not fall into step with the program's rounds of 10 ms.
recording = record("-F", "617", command=[workload("two_burners"), "2000"])
log, = recording.log["threads"]
stacks = recording.folded("oncpu", "--by", "thread")
root = f"burner-{recording.log['pid']}/{log['tid']}"
thread = recording.thread(log["tid"])
running = thread["running_ns"]
check_ran(thread, log["cpu_ns"], log["wall_ns"], rel=0.03, abs_ns=0)
check(weight(stacks, root=root) == running, "oncpu is not the running time")
for function, share in (("burn_seventy", 0.7), ("burn_thirty", 0.3)):
    got = weight(stacks, function, root=root) / running
    check(abs(got - share) < 0.1, f"{function}: {got:.2f}, not {share}")
check(weight(stacks, "main", "burn_seventy", root=root) > 0.55 * running, "main calls it")

# The first screen says the functions, with the shares of their samples: against each other, because the clock that
# both ask is a function of its own, and dear on an emulated machine.
process, = [one for one in json.loads(dwell("report", "--json", recording.path).stdout)["processes"]
            if one["name"] == "burner"]
samples = {one.get("function"): one["samples"] for one in process["computed_in"]}
both = samples["burn_seventy"] + samples["burn_thirty"]
check(abs(samples["burn_seventy"] / both - 0.7) < 0.1 and both > 0.7 * process["samples"], f"{process['computed_in']}")
text = " ".join(dwell("report", recording.path).stdout.split())
check(re.search(r"In short: computing: \d.*? \(\d\d % in burn_seventy, \d\d % in burn_thirty\)", text), text)
