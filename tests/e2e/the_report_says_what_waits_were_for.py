# SPDX-License-Identifier: GPL-2.0-or-later
"""Alice waits for Bob, who computes after Carol, who computes after a sleep. The report's sentence
under Alice's wait names both, what they did and where Carol slept, with or without lines of their own
to refer to. --wait shows the chain hop by hop, --json has the same as data, and all of it adds up."""
from lib import *

recording = record(command=[workload("relay"), "20"])


def lines_of(*args):
    return json.loads(dwell("report", recording.path, "--json", *args).stdout)["lines"]


def check_sums(lines):
    for line in lines:
        if "causes" not in line:
            check(line["reason"] == "no CPU", f"no causes: {line}")
            continue
        causes = sum(cause[key] for cause in line["causes"]
                     for key in ("ran_ns", "no_cpu_ns", "waited_ns"))
        causes += sum(line["unexplained_ns"].values())
        check(causes == line["total_ns"], f"causes are {causes}, the wait is {line['total_ns']}")
        for chain in line["chains"]:
            hops = sum(hop[key] for hop in chain["hops"]
                       for key in ("ran_ns", "no_cpu_ns", "earlier_ns"))
            check(hops + chain["rest_ns"] == chain["total_ns"], f"{chain}")
        check(sum(chain["total_ns"] for chain in line["chains"]) == line["total_ns"], f"{line}")


alone = lines_of("-n", "alice")
check_sums(alone)
wait = next(line for line in alone if line["reason"] == "pipe")
# "running", on a busy machine "without a CPU" or both.
for name in ("or bob ", "or carol ", "asleep in carol"):
    check(name in wait["sentence"], wait["sentence"])
check("timer" not in wait["sentence"], wait["sentence"])
sleep, = (cause for cause in wait["causes"] if cause["waited_ns"])
check((sleep["name"], sleep["waited_for"], sleep["waited_in"], sleep["called_from"])
      == ("carol", "sleep", "clock_nanosleep", "carol"), f"{sleep}")
# Carol logs until she has a CPU again; her timer is done before that.
logged_ns = recording.log["timer_ns"]
check_between("sleep", sleep["waited_ns"], 0.3 * logged_ns, 1.05 * logged_ns)

everyone = lines_of()
check_sums(everyone)
wait = next(line for line in everyone if line["name"] == "alice" and line["reason"] == "pipe")
bob = next(line for line in everyone if line["name"] == "bob" and line["reason"] == "pipe")
slept = next(line for line in everyone if line["name"] == "carol" and line["reason"] == "sleep")
check(wait["waker"] == "bob", wait["sentence"])
# A sleep that others wait for is not idle.
check(f"asleep in carol (see {slept['number']})" in wait["sentence"], wait["sentence"])

text = dwell("report", recording.path, "--wait", str(wait["number"])).stdout
check(re.search(r"1 +\d+ %.* bob .*\n(.*\n)* +2 +\d+ %.* carol .*\n(.*\n)* +3 +\d+ %.* its own timer",
                text), text)
check("sentence" in bob and dwell("report", recording.path).stdout.count("In short: ") == 1, "")
missing = dwell("report", recording.path, "--wait", "999", status=1)
check_one_line_error(missing, "no wait 999")

# Without chains one line says so, and views of chains are refused.
plain = record("--depth", "0", command=[workload("relay"), "3"], path="plain.dwell")
check("not recorded (no wake chains)" in dwell("report", plain.path).stdout, "no word on chains")
check_one_line_error(dwell("flame", plain.path, "--view", "chain", "-f", status=2), "--depth 0")
