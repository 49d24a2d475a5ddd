# SPDX-License-Identifier: GPL-2.0-or-later
"""A program touches a file that is not in memory, page by page, and fresh memory: major faults are as many
as the kernel counted for it, minor ones within what is said of the estimate, or exactly if each is looked
at. The file is named, and beside its faults stands the time that was blocked for its pages, as it is in the
waits."""
from lib import *

need_root()
PAGES = 200
IN_FAULTS = ("filemap_fault", "__do_fault", "do_fault", "handle_mm_fault", "asm_exc_page_fault", "exc_page_fault")


def is_cold(folder):
    """Is what is there read from a disk again when it was taken out of memory?"""
    if not os.access(folder, os.W_OK):
        return False
    path = os.path.join(folder, f"dwell-test-{os.getpid()}")
    cleanup(lambda: os.path.exists(path) and os.unlink(path))
    cold = Workload("cold", path, 20)
    cold.go()
    said = cold.line()
    cold.end()
    return said["cold"]["major"] >= 18


folder = next((folder for folder in (TEMP, "/var/tmp", TOP) if is_cold(folder)), None)
if not folder:
    skip("nothing is read from a disk again here: no major faults", is_optional=True)
path = os.path.join(os.path.realpath(folder), f"dwell-test-{os.getpid()}-cold")
cleanup(lambda: os.unlink(path))


def record_touching(*options):
    cold = Workload("cold", path, PAGES)
    recorder = Recorder("-e", "faults", *options, "-p", cold.pid, "-F", 0)
    cold.go()
    said = cold.line()
    recording = recorder.stop()
    cold.end()
    check_books(recording)
    losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
    check(not losses.get("events") and not losses.get("bare_events"), losses)
    measures = {one["name"]: one for one in recording.report["measures"]}
    print(said, {name: (one["count"], one["samples"]) for name, one in measures.items()},
          recording.report["faulted"], flush=True)
    return recording, said, measures


def check_majors(recording, said, measures):
    """Each of them, in the program, at its place and in its file."""
    major = said["cold"]["major"]
    check(major >= 0.9 * PAGES, f"the file was not cold: {said}")
    stacks = recording.folded("major-faults")
    check(weight(stacks, "touch_cold") == major, f"{major} major faults, {stacks}")
    # Memory may be short, and the program's own code be read in again.
    check(major <= measures["major-faults"]["count"] <= major + 5, measures["major-faults"])
    check(measures["major-faults"]["relative_error"] == 0, measures["major-faults"])
    thing = next(thing for thing in measures["major-faults"]["things"] if thing["thing"] == path)
    check(thing["count"] == major, f"{thing} of {major}")


def check_cost(recording, said):
    """Blocked in page faults of that file: what three ways to ask say."""
    faulted = {file["file"]: file for file in recording.report["faulted"]}
    file = faulted.get(path)
    check(file and file["major"] == said["cold"]["major"], f"{path} in {faulted}")
    check(0 < file["waits"] <= PAGES + 5 and 0 < file["wait_ns"] < said["cold"]["wall_ns"], f"{file}, {said}")
    by_hand = recording.rows("SELECT coalesce(sum(count), 0), coalesce(sum(total_ns), 0) FROM things"
                             " WHERE kind = 'fault' AND name = ? AND tid = ?", path, said["tid"])[0]
    check(by_hand == (file["waits"], file["wait_ns"]), f"{by_hand} by hand, {file}")
    waits = [wait for wait in recording.report["waits"] if "touch_cold" in wait["stack"] and
             set(IN_FAULTS) & set(wait["stack"])]
    blocked_ns = sum(wait["total_ns"] for wait in waits)
    check(waits and file["wait_ns"] <= blocked_ns, f"{file}, but {blocked_ns} ns blocked in {waits}")
    # A fault may also wait for something else: a lock of the address space.
    check(file["wait_ns"] >= 0.9 * blocked_ns, f"{file} of {blocked_ns} ns blocked in page faults")
    return file


recording, said, measures = record_touching()
check_majors(recording, said, measures)
file = check_cost(recording, said)
minor = said["fresh"]["minor"]
minors = measures["minor-faults"]
fresh = weight(recording.folded("minor-faults"), "touch_fresh")
check(minors["samples"] * 100 == minors["count"] and 0 < minors["relative_error"] < 1, minors)
check(abs(fresh - minor) <= max(6 * minors["relative_error"] * minor, 200), f"{fresh} of {minor}: {minors}")

# As people read it.
text = dwell("report", recording.path, "--width", "200").stdout
flat = re.sub(r"\s+", " ", text)
check(re.search(rf"page faults: [\d,]+ minor faults ± \d+ % \(.*\), {measures['major-faults']['count']} major faults", flat), text)
told = re.search(rf"{said['cold']['major']} major faults in {re.escape(path)} cost ([\d.]+) (us|ms|s) blocked", flat)
check(told, text)
told_ns = float(told[1]) * {"us": 1000, "ms": MS, "s": S}[told[2]]
check_close("the time that is told", told_ns, file["wait_ns"], rel=0.06)
check(re.search(r"major 100 %: .*touch_cold", flat), text)

# Every fault: minor ones are exact, too.
recording, said, measures = record_touching("-c", 1)
check_majors(recording, said, measures)
check_cost(recording, said)
fresh = weight(recording.folded("minor-faults"), "touch_fresh")
check(fresh == said["fresh"]["minor"], f"{fresh} minor faults, made {said}")
check(measures["minor-faults"]["relative_error"] == 0 and
      measures["minor-faults"]["count"] >= fresh + said["cold"]["minor"], measures["minor-faults"])
text = re.sub(r"\s+", " ", dwell("report", recording.path, "--width", "200").stdout)
check("major faults in " + path in text and "±" not in text.split("page faults:")[1].split("accounted")[0], text)
