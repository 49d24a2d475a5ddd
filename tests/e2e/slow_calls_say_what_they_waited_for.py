# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because waits within calls are kept by programs that kernels check differently
"""Of slow calls, and of no others, it is told what they waited in: all of their time, state by state, with
stacks, the lock, who had it and what that one did; in words, as JSON and as a flame graph, whether slow is
a time or a percentile."""
from calls import *

need_root()
REQUESTS, EACH = (6000, 200) if SLOW == 1 else (600, 60)
NAME = "call_slow:handle_request"
let_tables_come()


def record_slow(*options):
    server = Workload("call_slow", REQUESTS, EACH)
    time.sleep(SLOW)  # Until it may be told to go: it pauses first.
    recording, log = record_calls(server, *calls_of(["handle_request"], *options),
                                  path=os.path.join(TEMP, f"{options}.dwell"))
    server.end()
    losses = check_laws(recording)
    got = function_of(recording, NAME)
    check(got["count"] == log["requests"], f"{got['count']} of {log['requests']}")
    slow = {word: got["slow"][word] for word in ("from_ns", "count", "wall_ns", "blocked_ns")}
    print(options, slow, log, losses, flush=True)
    return recording, log, got, losses


def check_waits(recording, log, got, losses):
    """What slow calls were blocked in is told with a stack, the lock and whoever ended it, but for waits out of
    which nobody saw them come: some virtual machines have such."""
    rows = recording.rows("""
        SELECT s.user_stack IN (SELECT id FROM stacks) AND s.kernel_stack IN (SELECT id FROM stacks)
          AND s.chain <> 0, coalesce(a.name, ''), sum(s.count), sum(s.ns)
        FROM slow s LEFT JOIN awaited a ON a.id = s.awaited
        WHERE s.state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked') GROUP BY 1, 2""")
    blocked = sum(ns for *_, ns in rows)
    bare = sum(ns for has_all, name, _, ns in rows if not has_all or not name)
    unseen = sum(count for has_all, name, count, _ in rows if not has_all or not name)
    for_lock = sum(ns for has_all, name, _, ns in rows if has_all and name == "cache_lock")
    print(f"blocked {blocked / MS:.2f} ms, for the lock {for_lock / MS:.2f}, without a stack, a chain or the lock {bare / MS:.3f}")
    check(blocked == got["slow"]["blocked_ns"], f"{rows} {got['slow']}")
    check(bare <= 0.001 * blocked or unseen <= losses.get("missed_switches", 0), f"{rows} {losses}")
    check(for_lock + bare >= 0.999 * blocked,
          f"not for the lock: {rows} {recording.rows('SELECT * FROM slow_waits')} {losses}")
    check(for_lock <= log["wait_ns"], f"{rows} {log}")
    # The log's clocks are around the wait, and it may be woken or preempted there.
    unready = got["slow"]["woken_ns"] + got["slow"]["preempted_ns"]
    check(for_lock + bare + unready >= (0.97 if SLOW == 1 else 0.5) * log["wait_ns"], f"{rows} {log} {unready}")
    check(got["slow"]["blocked_ns"] >= 0.999 * got["blocked_ns"], f"others were blocked: {got['typical']}")


def check_words(recording, got):
    """Names of the lock and its holder, in text and as data."""
    for text in (dwell("report", recording.path, "--width", "100").stdout,
                 dwell("report", recording.path, "--slow", NAME, "--width", "100").stdout):
        text = " ".join(text.split())
        check("mutex cache_lock (read_cache)" in text, text)
        check(re.search(r"[Hh]eld by refresher \d+ %: (asleep in refresh|in fsync|.*refresh)", text), text)
    line = next(line for line in got["slow"]["lines"] if line["reason"] == "futex")
    check("cache_lock" in json.dumps(line) and "refresher" in json.dumps(line), f"{line}")


def check_pictures(recording, got):
    """The flame graph of slow calls is their wall time; all its off-CPU stacks are in the function."""
    stacks = recording.folded(f"slow:{NAME}")
    total = sum(stacks.values())
    check(total == got["slow"]["wall_ns"], f"{total} ns drawn of {got['slow']['wall_ns']}")
    check(weight(stacks, "handle_request", "read_cache") >= 0.999 * got["slow"]["blocked_ns"], f"{stacks}")
    short = recording.folded("slow:handle_request")
    check(short == stacks, "the function by its short name is another")


# By time: those that wanted the lock, and any that had no CPU for so long.
recording, log, got, losses = record_slow("--slower", "5ms")
check(log["slow"] <= got["slow"]["count"], f"{got['slow']}")
check(got["slow"]["from_ns"] == 5 * MS, f"{got['slow']}")
fast = recording.rows("SELECT * FROM calls WHERE is_slow AND max_ns < ?", 5 * MS)
check(not fast, f"slow, and not for 5 ms: {fast}")
missed = recording.rows("SELECT * FROM calls WHERE NOT is_slow AND max_ns >= ?", 5 * MS)
check(not missed, f"5 ms or more, and not slow: {missed}")
check_waits(recording, log, got, losses)
check_words(recording, got)
check_pictures(recording, got)

# By percentile: the same calls, with some others.
recording, log, got, losses = record_slow("--slower", "p99")
check(log["slow"] <= got["slow"]["count"] <= REQUESTS // 2, f"{got['slow']}")
check(got["slow"]["rule"] == "p99", f"{got['slow']}")
check_waits(recording, log, got, losses)
check_words(recording, got)
check_pictures(recording, got)

# Nobody is as slow as that: no row.
recording, log, got, losses = record_slow("--slower", "10s")
check(got["slow"]["count"] == 0, f"{got['slow']}")
check(recording.rows("SELECT count(*) FROM slow") == [(0,)], "rows of calls that were not slow")
check(recording.rows("SELECT count(*) FROM calls WHERE is_slow") == [(0,)], "calls that were slow")
