# SPDX-License-Identifier: GPL-2.0-or-later
"""What the cases about large numbers share; each has a small form in e2e and a big one in heavy."""
from lib import *

ENDED_TOO_EARLY = "the process ended before its mappings were read"


def check_no_lost_time(recording):
    """All time is accounted for to the last nanosecond, and no row is missing."""
    accounting, meta = recording.report["accounting"], recording.meta()
    check(accounting["accounted_ns"] == accounting["expected_ns"] > 0, f"lost time: {accounting}")
    check(meta["worst_thread_ns"] == 0, f"a thread is off by {meta['worst_thread_ns']} ns")
    check(meta["rows_missing"] == 0 and meta["rows_missing_ns"] == 0, f"missing rows: {meta}")


def check_share(what, got, of, least):
    """At least that share; the exact figures are in the case's output."""
    print(f"{what}: {got} of {of}", flush=True)
    check(of and got >= least * of, f"{what}: only {got} of {of}")


def check_short_lived(recording, names, number, least=0.99):
    """Of `number` threads that lived shortly, that share has the right name and program; what has
    none is told by a reason. names: {comm: program}."""
    rows = recording.rows("SELECT t.comm, p.name, p.exe FROM threads t JOIN processes p "
                          "ON p.id = t.process WHERE t.tid = p.pid")
    mine = [row for row in rows if row[0] in names]
    check_share("named", len(mine), number, least)
    check_share("processes named", sum(name == comm for comm, name, _ in mine), number, least)
    right = sum(os.path.basename(exe) == os.path.basename(os.path.realpath(names[comm]))
                for comm, _, exe in mine)
    check_share("with program", right, number, least)
    losses = {name: count for name, count, _ in recording.rows("SELECT * FROM losses")}
    check(len(mine) == number or losses.get("unknown_threads") or losses.get("thread_ends"),
          f"{number - len(mine)} threads without a name, and no word about it: {losses}")


def check_objects(recording, least=0.99):
    """Of the user stacks, by thread, that share has an object at its leaf, which is where the
    thread was; a frame further up may be a walk's mistake. What has none has a reason."""
    rows = recording.rows(
        "SELECT o.kind, f.name, f.reason, count(*) FROM (SELECT DISTINCT thread, user_stack FROM "
        "all_sums) u JOIN stacks k ON k.id = u.user_stack JOIN frames f ON f.id = k.frame "
        "JOIN objects o ON o.id = f.object GROUP BY 1, 2, 3")
    kinds = dict(recording.rows("SELECT number, word FROM words WHERE kind = 'object_kind'"))
    reasons = dict(recording.rows("SELECT number, word FROM words WHERE kind = 'name_reason'"))
    known = sum(count for kind, _, _, count in rows if kinds[kind] != "unknown")
    check_share("leaves with an object", known, sum(row[3] for row in rows), least)
    check(all(name or reasons[reason] != "named" for _, name, reason, _ in rows),
          "a frame has neither a name nor a reason")
    return {reasons[reason]: count for _, name, reason, count in rows if not name}


def spawn(number):
    """As many short lives of `true`, four at a time."""
    program = shutil.which("true")
    recording = record(command=[workload("spawner"), number, 4, program], timeout=400)
    check(recording.log["count"] == number and not recording.log["failed"], f"{recording.log}")
    check_no_lost_time(recording)
    check_short_lived(recording, {"true": program}, number)
    print("leaves without a name:", check_objects(recording), flush=True)
    print("losses:", recording.rows("SELECT * FROM losses"), flush=True)
    return recording


def watch_memory(recorder):
    """The most memory, in bytes, that the recorder took until its end."""
    peak = 0
    while recorder.process.poll() is None:
        try:
            with open(f"/proc/{recorder.pid}/status") as file:
                peak = max([peak] + [int(line.split()[1]) << 10 for line in file
                                     if line.startswith("VmHWM:")])
        except OSError:
            pass
        time.sleep(0.02)
    return peak


def crowd(number, *options, window_s=3):
    """As many threads that sleep through the window, all in one process, are all there."""
    with open("/proc/sys/kernel/pid_max") as file:
        room = int(file.read()) - 2000
    if number > room:
        print(f"kernel.pid_max allows {room} threads only", flush=True)
        number = room
    sleepers = Workload("crowd", number)
    check(sleepers.line()["count"] == number, "not all were started")
    recording = record("-p", sleepers.pid, "-d", f"{window_s}s", *options, timeout=200)
    sleepers.kill()
    check(len(recording.threads) == number + 1, f"{len(recording.threads)} threads")
    check(len(recording.named("crowd-sleeper")) == number, "threads without their name")
    whole = recording.window_ns
    others = [t for t in recording.threads if not t["life_ns"] == t["blocked_ns"] == whole]
    check(not others, f"not all slept for {whole}: {others[:3]}")
    check_no_lost_time(recording)
    stacks = recording.folded("offcpu")
    check(weight(stacks, "futex") == number * whole, f"not all in a futex: {list(stacks)[:5]}")
    check(recording.report["accounting"]["lost_events"] == 0, f"{recording.report['accounting']}")
    return recording


def check_memory(recording, peak, memory, stacks):
    """The kernel's tables are within --memory, and dwell itself needs 2 KiB for a stack."""
    table_bytes = recording.meta()["table_bytes"]
    print(f"tables {table_bytes >> 10} KiB of {memory >> 10}, dwell {peak >> 10} KiB for {stacks} "
          "stacks", flush=True)
    check(0 < table_bytes <= memory, f"{table_bytes} bytes of tables in {memory}")
    check(0 < peak <= (64 << 20) + memory // 4 + 2048 * stacks, f"dwell took {peak} bytes")


def many_stacks(number, memory_mib):
    """As many waits, each on a stack of its own."""
    let_tables_come()
    # Each stack travels once, through a ring that is small here: shorter naps fill it on a slow machine. Where
    # switching is slow a nap has to be longer, or it is over before the thread has left.
    recorder = Recorder("--memory", f"{memory_mib}M",
                        command=[workload("many_stacks"), number, 20, 100 * SLOW * SLOW])
    peak = watch_memory(recorder)
    recording = recorder.wait(timeout=300)
    check_no_lost_time(recording)
    check_memory(recording, peak, memory_mib << 20, number)
    return recording


def stacks_of_waits(recording):
    """(intervals with a stack of their own, all of them, distinct stacks) of the blocked time."""
    (with_stack, waits, distinct), = recording.rows(
        "SELECT sum(count) FILTER (WHERE user_stack NOT BETWEEN 0 AND 15), sum(count), "
        "count(DISTINCT user_stack) FILTER (WHERE user_stack NOT BETWEEN 0 AND 15) FROM sums "
        "WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')")
    return with_stack or 0, waits, distinct


def shared_stacks(recording):
    """[(waits, how the stack ends)] of the user stacks that more than one wait has, most first."""
    return recording.rows(
        "SELECT sum(count) AS waits, w.word FROM sums s JOIN stacks k ON k.id = s.user_stack "
        "JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end "
        "WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked') "
        "GROUP BY s.user_stack HAVING waits > 1 ORDER BY waits DESC LIMIT 5")
