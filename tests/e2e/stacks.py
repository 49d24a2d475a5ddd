# SPDX-License-Identifier: GPL-2.0-or-later
"""What cases about stacks that are known without a walk share: loads with many kinds of them, and
what a recording says of how it had its stacks."""
from lib import *


def stress(seconds, *kinds):
    """One thread or process of each kind, in the background."""
    need_tool("stress-ng")
    return background("stress-ng", "--quiet", "--timeout", f"{seconds}s", "--temp-path", TEMP,
                      *(word for kind in kinds for word in (f"--{kind}", "1")), stdout=subprocess.DEVNULL)


def switches():
    with open("/proc/stat") as file:
        return int(re.search(r"^ctxt (\d+)", file.read(), re.M).group(1))


def wait_for_switches(number):
    """Until the machine has made so many: a load may have little of a CPU."""
    before = switches()
    wait_until(lambda: switches() - before > number, f"{number} switches", timeout=HANGS_S)


def record_switches(number, *options):
    """Records until the machine has made so many. Other than a window that Ctrl-C ends, one that ends with its COMMAND
    waits for unwind tables, without which no user stack is known."""
    gate = os.path.join(TEMP, "gate")
    os.mkfifo(gate)
    recorder = Recorder(*options, command=["head", gate])
    with open(gate, "w"):  # waits for head to open it
        wait_for_switches(number)
    return recorder.wait()


def check_stacks(recording, known_share):
    """All that were known were walked as well, and none was another."""
    stacks = recording.report["cost"]["stacks"]
    losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
    check(not losses.get("wrong_stacks"), f"wrong: {losses}, of {stacks}")
    for who in ("kernel", "user"):
        known, walked = stacks[f"{who}_known"], stacks[f"{who}_walked"]
        check(known > 100, f"{who}: nothing to compare: {stacks}")
        check(known / (known + walked) > known_share, f"{who}: too few are known: {stacks}")
        # Of users' those with some unknown step, too; one may be under way when the figures are read.
        check(known - stacks[f"{who}_audited"] <= 64, f"{who}: not all were audited: {stacks}")
    return stacks
