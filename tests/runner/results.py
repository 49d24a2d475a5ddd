# SPDX-License-Identifier: GPL-2.0-or-later
"""What came of the tests: a line for each as it ends, and at the end what was slow, what passed only
at a further try, and the counts."""
import json
import threading

TAIL_LINES = 40
SLOWEST = 10


class Outcome:
    """What running one item gave: counts (a unit binary holds several tests) and words."""

    def __init__(self, passed=0, failed=0, skipped=0, reason="", output=""):
        self.passed, self.failed, self.skipped = passed, failed, skipped
        self.reason, self.output = reason, output


class Item:
    """Something to run; one that is alone has the machine for itself."""

    def __init__(self, name, run, is_alone=False):
        self.name, self.run, self.is_alone = name, run, is_alone


printing = threading.Lock()


def say(text):
    """Lines that belong together, from any thread."""
    with printing:
        print(text, flush=True)


def show(item, outcome, is_required, seconds):
    if outcome.skipped and is_required and not outcome.reason.startswith("optional"):
        outcome = Outcome(failed=1, reason=f"skipped, but required: {outcome.reason}")
    word = "FAIL" if outcome.failed else "skip" if outcome.skipped else "ok"
    many = f" ({outcome.passed} tests)" if outcome.passed > 1 else ""
    reason = f": {outcome.reason}" if outcome.reason else ""
    lines = [f"{word:<4} {seconds:6.2f} s  {item.name}{many}{reason}"]
    if outcome.failed and outcome.output.strip():
        lines += [f"     | {line}" for line in outcome.output.rstrip().split("\n")[-TAIL_LINES:]]
    say("\n".join(lines))
    return outcome


def ordinal(number):
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


class Results:
    """By name: the counts of the last try, how many tries there were, and the longest one's
    seconds. Threads add to it."""

    def __init__(self):
        self.counts, self.tries, self.seconds = {}, {}, {}

    def add(self, name, outcome, seconds):
        """What passed stays so: a machine starts again for each further try of its cases."""
        before = self.counts.get(name)
        self.seconds[name] = max(seconds, self.seconds.get(name, 0))
        if before and not before[1] and not outcome.failed:
            return
        self.counts[name] = outcome.passed, outcome.failed, outcome.skipped
        self.tries[name] = self.tries.get(name, 0) + 1

    def failed(self):
        return {name for name, (_, failed, _) in self.counts.items() if failed}

    def total(self):
        """Passed, failed, skipped."""
        return [sum(column) for column in zip((0, 0, 0), *self.counts.values())]

    def end_lines(self):
        slowest = sorted(self.seconds, key=lambda name: -self.seconds[name])[:SLOWEST]
        lines = ["slowest:"] if slowest else []
        lines += [f"     {self.seconds[name]:6.2f} s  {name}" for name in slowest]
        late = {name: tries for name, tries in self.tries.items() if tries > 1}
        lines += [f"NOT AT ONCE: {name} {'failed' if self.counts[name][1] else 'passed'} at the "
                  f"{ordinal(late[name])} try" for name in sorted(late)]
        passed, failed, skipped = self.total()
        return lines + [f"{passed} passed, {failed} failed, {skipped} skipped"]

    def save(self, file):
        json.dump([self.counts, self.tries, self.seconds], file)

    def load(self, file):
        for mine, saved in zip((self.counts, self.tries, self.seconds), json.load(file)):
            mine.update(saved)
