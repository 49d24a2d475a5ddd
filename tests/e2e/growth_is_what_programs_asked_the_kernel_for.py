# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because system calls, page faults and resident memory are told by the kernel
# timeout: 480
"""A program makes its address space larger and smaller in every way there is, in a function each: what
it was given and gave back is told to the byte, below that function; calls that fail change nothing. What
it touched is resident later on, in order of time, in the report, JSON and the table `memory`."""
from lib import *

need_root()
ROUNDS, NAP_MS = 10, 200 if SLOW == 1 else 500
MIB = 1 << 20
# What the kernel counts on each CPU before it adds it up, in pages (percpu_counter), and what the
# program needs for itself.
SLACK = 2 * MIB

grower = Workload("grower", ROUNDS, NAP_MS)
recorder = Recorder("--growth", "-p", grower.pid, "--slice", "100ms", "-F", 0)
grower.go()
log = grower.line()
recording = recorder.stop()
grower.end()
check_books(recording)
losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
check(not any(losses.get(loss) for loss in ("events", "bare_events", "odd_values")), losses)


def told(kind, site):
    """Calls and bytes below a function."""
    return recording.rows(
        "SELECT coalesce(sum(c.events), 0), coalesce(sum(c.value), 0) FROM counts c JOIN measures m"
        " ON m.id = c.measure WHERE m.kind = ? AND c.user_stack IN (SELECT stack FROM stack_frames"
        " WHERE function = ?)", kind, site)[0]


# By site, to the byte; and nobody else changed anything.
for site in log["sites"]:
    got = (*told("growth", site["name"]), *told("shrink", site["name"]))
    want = (site["growths"], site["grown"], site["shrinks"], site["shrunk"])
    check(got == want, f"{site['name']}: growth and shrink are {got}, not {want}")
check(told("growth", "in_vain") == told("shrink", "in_vain") == (0, 0), "what failed is counted")
measures = {one["name"]: one for one in recording.report["measures"]}
for kind, calls, value in (("growth", "growths", "grown"), ("shrink", "shrinks", "shrunk")):
    want = tuple(sum(site[key] for site in log["sites"]) for key in (calls, value))
    measure = next(one for one in recording.report["measures"] if one["kind"] == kind)
    check((measure["count"], measure["value"], measure["unit"]) == (*want, "bytes"), f"{measure}, not {want}")
    check(measure["samples"] == measure["count"] and measure["relative_error"] == 0, measure)
    check(sum(recording.folded(measure["name"]).values()) == want[1], "the view is something else")

# Who touched it, as far as few of its page faults can tell.
faults = measures["minor-faults"]
below_site = told("faults", "grow_and_touch")[0]
pages = log["touched"] // os.sysconf("SC_PAGE_SIZE")
print(f"{below_site} page faults below grow_and_touch, of {pages} pages; {faults['count']} in all")
check_close("page faults", below_site, pages, rel=6 / (pages / 100) ** 0.5)
check(below_site > 0.8 * faults["count"], f"{below_site} of {faults}")

# Resident memory: as the kernel said it to the program itself.
memory = recording.report["memory"]
rss = [at["rss"] for at in memory]
print("rss:", rss, "by the program:", log["rss"])
check(recording.rows("SELECT rss, anonymous FROM memory ORDER BY slice") ==
      [(at["rss"], at["anonymous"]) for at in memory], "the table is something else")
check(all(before["at_ns"] < after["at_ns"] for before, after in zip(memory, memory[1:])) and
      0 < memory[0]["at_ns"] and memory[-1]["at_ns"] <= recording.window_ns, memory)
check(all(0 <= at["anonymous"] <= at["rss"] for at in memory), memory)
check(all(before <= after + SLACK for before, after in zip(rss, rss[1:])), f"it shrank: {rss}")
check_close("rss at the end", rss[-1], log["rss"][-1], abs_ns=SLACK)
check_close("rss that came", rss[-1] - rss[0], log["touched"], rel=0.2, abs_ns=SLACK)
check_close("anonymous memory that came", memory[-1]["anonymous"] - memory[0]["anonymous"], log["touched"],
            rel=0.2, abs_ns=SLACK)
check(len([size for size in set(rss) if rss[0] + SLACK < size < rss[-1] - SLACK]) >= 1, f"it came at once: {rss}")

# As people read it.
text = dwell("report", recording.path).stdout
flat = re.sub(r"\s+", " ", text)
growths, shrinks = (sum(site[key] for site in log["sites"]) for key in ("growths", "shrinks"))
check(re.search(rf"address space: grew by 27 MiB in {growths} mappings \([\d.]+ [KM]iB/s\), gave back 6\.2 MiB in"
                rf" {shrinks} unmappings, net \+21 MiB: grower 100 %", flat), text)
check(re.search(r"rss [.=#-]+ [\d.]+ [KM]iB to 2[1-4] MiB in [\d.]+ s \(\+[\d.]+ MiB/s\), of it anonymous", flat), text)
check("one_round > grow_and_touch" in flat and "page faults:" in flat, text)

# Of a time in which the recorder could not look nothing is said.
FROZEN_S = 2
grower = Workload("grower", 2)
recorder = Recorder("--growth", "-p", grower.pid, "--slice", "100ms", "-F", 0, path=os.path.join(TEMP, "frozen.dwell"))
os.kill(recorder.pid, signal.SIGSTOP)
time.sleep(FROZEN_S)
grower.go()
grower.line()
os.kill(recorder.pid, signal.SIGCONT)
memory = recorder.stop().report["memory"]
grower.end()
steps = [(after["at_ns"] - before["at_ns"], before["rss"], after["rss"]) for before, after in zip(memory, memory[1:])]
print("steps:", steps)
check(max(steps)[0] >= (FROZEN_S - 1) * S, f"it is told what was resident while nobody looked: {memory}")
