# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because page faults are told by the kernel
"""Fresh memory that a program touches, and that the kernel writes to for it, costs a page fault for
each page: all are counted, below the function that made them, in a view, the report, JSON, SQL and a
comparison; time is what it is without."""
from lib import *

need_root()
PAGES = 3000


def record_touching(pages, *options):
    toucher = Workload("toucher", pages)
    recorder = Recorder("-p", toucher.pid, "-e", "page-faults", *options,
                        path=os.path.join(TEMP, f"{pages}.dwell"))
    time.sleep(0.5 * SLOW)
    toucher.go()
    said = toucher.line()
    recording = recorder.stop()
    toucher.end()
    return recording, said


recording, said = record_touching(PAGES)
stacks = recording.folded("page-faults")
touched = sum(count for stack, count in stacks.items() if "touch_all" in stack)
filled = sum(count for stack, count in stacks.items() if "fill_all" in stack)
print(f"{said}: {touched} below touch_all, {filled} below fill_all of {sum(stacks.values())}")
check(said["touched"] >= PAGES, f"the workload saw {said} of {PAGES}")
check(abs(touched - said["touched"]) <= 3, f"{touched} page faults in touch_all, made {said}")
check(abs(filled - said["filled"]) <= 3, f"{filled} page faults in fill_all, made {said}")
# A fault of the kernel's own has the kernel's way to it, one of the program has none.
check(all(stack[-1] == "touch_all" for stack in stacks if "touch_all" in stack), stacks)
check(all(stack[-1] != "fill_all" for stack in stacks if "fill_all" in stack and stacks[stack] > 3),
      stacks)

measure = recording.report["measures"][0]
check((measure["name"], measure["unit"], measure["value"]) ==
      ("page-faults", "count", sum(stacks.values())), measure)
check(measure["names"][0]["name"] == "toucher", measure["names"])
text = dwell("report", recording.path).stdout
flat = re.sub(r"\s+", " ", text)
check(re.search(r"page faults: [\d,]+ \([\d,.]+/s; 50 % user, 50 % kernel\): toucher 100 %", flat), text)
table = dwell("report", recording.path, "--functions", "--view", "page-faults").stdout
check("page faults" in table and "touch_all" in table, table)
by_hand = recording.rows("SELECT sum(value) FROM measured WHERE measure = 'page-faults'")[0][0]
check(by_hand == sum(stacks.values()), f"{by_hand} by hand")

# Filters by thread apply, those of time are refused.
none = dwell("flame", recording.path, "--view", "page-faults", "-n", "nobody", "-f", status=1)
check("no page fault passes the filters" in none.stderr, none.stderr)
check_one_line_error(dwell("flame", recording.path, "--view", "page-faults", "--reason", "disk", "-f",
                           status=2), "for time")
check_one_line_error(dwell("flame", recording.path, "--view", "page-fautls", "-f", status=2),
                     "page-faults")

# Time is conserved, and knows nothing of events.
accounting = recording.report["accounting"]
check(accounting["accounted_ns"] == accounting["expected_ns"], accounting)
lost = {loss["loss"]: loss["count"] for loss in accounting["losses"]}
check(not lost.get("events") and not lost.get("bare_events"), lost)

# Half as many pages: the comparison says so.
fewer, _ = record_touching(PAGES // 2)
diff = json.loads(dwell("diff", fewer.path, recording.path, "--view", "page-faults", "--raw",
                        "--json").stdout)
check(diff["unit"] == "counts" and diff["total_after"] == sum(stacks.values()) and
      0.3 * diff["total_after"] < diff["total_before"] < 0.7 * diff["total_after"],
      json.dumps(diff)[:400])
picture = os.path.join(TEMP, "faults.svg")
dwell("flame", recording.path, "--view", "page-faults", "-o", picture)
with open(picture) as file:
    svg = file.read()
check("Page faults" in svg and "page faults, " in svg, "the picture has no page faults")
