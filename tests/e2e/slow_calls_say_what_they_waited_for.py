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
    return recording, log, got


def check_waits(recording, log, got):
    """Nearly all that slow calls were off CPU is told with a stack and with whoever ended it."""
    rows = recording.rows("""
        SELECT s.state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked'),
          s.user_stack IN (SELECT id FROM stacks), s.kernel_stack IN (SELECT id FROM stacks),
          s.chain <> 0, coalesce(a.name, ''), sum(s.ns)
        FROM slow s LEFT JOIN awaited a ON a.id = s.awaited
        WHERE s.state IN (SELECT number FROM words WHERE kind = 'state' AND word IN ('blocked', 'woken', 'preempted'))
        GROUP BY 1, 2, 3, 4, 5""")
    off = sum(row[-1] for row in rows)
    blocked = sum(row[-1] for row in rows if row[0])
    bare = sum(row[-1] for row in rows if row[0] and not (row[1] and row[2] and row[3]))
    for_lock = sum(row[-1] for row in rows if row[0] and row[4] == "cache_lock")
    print(f"off {off / MS:.2f} ms, blocked {blocked / MS:.2f}, for the lock {for_lock / MS:.2f}, "
          f"without a stack or a chain {bare / MS:.3f}")
    check(bare <= 0.001 * off, f"without a stack or a chain: {rows}")
    check(for_lock >= 0.999 * blocked, f"not for the lock: {rows}")
    # As long as the calls themselves say, who also are woken and have the lock to take.
    check(for_lock <= log["wait_ns"], f"{rows} {log}")
    check(for_lock >= (0.9 if SLOW == 1 else 0.5) * log["wait_ns"], f"{rows} {log}")
    check(got["slow"]["blocked_ns"] >= 0.999 * got["blocked_ns"] or got["slow"]["count"] == log["slow"],
          f"others were blocked: {got['typical']}")


def check_words(recording, got):
    """Names of the lock and its holder, in text and as data."""
    for text in (dwell("report", recording.path, "--width", "100").stdout,
                 dwell("report", recording.path, "--slow", NAME, "--width", "100").stdout):
        text = " ".join(text.split())
        check("mutex cache_lock (read_cache)" in text, text)
        check(re.search(r"[Hh]eld by refresher \d+ %: (asleep in refresh|in fsync|.*refresh)", text), text)
    line = got["slow"]["lines"][0]
    print(json.dumps(line)[:600])
    check("cache_lock" in json.dumps(line) and "refresher" in json.dumps(line), f"{line}")


def check_pictures(recording, got):
    """The flame graph of slow calls is their wall time; all its off-CPU stacks are in the function."""
    stacks = recording.folded(f"slow:{NAME}")
    total = sum(stacks.values())
    check(total == got["slow"]["wall_ns"], f"{total} ns drawn of {got['slow']['wall_ns']}")
    check(weight(stacks, "handle_request", "read_cache") >= 0.999 * got["slow"]["blocked_ns"], f"{stacks}")
    short = recording.folded("slow:handle_request")
    check(short == stacks, "the function by its short name is another")


# By time: exactly those that wanted the lock, and maybe one that had no CPU for so long.
recording, log, got = record_slow("--slower", "5ms")
check(log["slow"] <= got["slow"]["count"] <= log["slow"] + (5 if SLOW == 1 else REQUESTS // 10), f"{got['slow']}")
check(got["slow"]["from_ns"] == 5 * MS, f"{got['slow']}")
fast = recording.rows("SELECT * FROM calls WHERE is_slow AND max_ns < ?", 5 * MS)
check(not fast, f"slow, and not for 5 ms: {fast}")
missed = recording.rows("SELECT * FROM calls WHERE NOT is_slow AND max_ns >= ?", 5 * MS)
check(not missed, f"5 ms or more, and not slow: {missed}")
check(got["slow"]["wall_ns"] >= log["slow_ns"] - log["slow_ns"] // 100 - log["slow"] * 5000 * SLOW * SLOW
      or SLOW > 1, f"{got['slow']} {log}")
check_waits(recording, log, got)
check_words(recording, got)
check_pictures(recording, got)

# By percentile: the same calls, with some others.
recording, log, got = record_slow("--slower", "p99")
check(log["slow"] <= got["slow"]["count"] <= REQUESTS // 4, f"{got['slow']}")
check(got["slow"]["blocked_ns"] == got["blocked_ns"], f"others were blocked: {got['typical']}")
check_waits(recording, log, got)
check_words(recording, got)
check_pictures(recording, got)

# Nobody is as slow as that: no row.
recording, log, got = record_slow("--slower", "10s")
check(got["slow"]["count"] == 0, f"{got['slow']}")
check(recording.rows("SELECT count(*) FROM slow") == [(0,)], "rows of calls that were not slow")
check(recording.rows("SELECT count(*) FROM calls WHERE is_slow") == [(0,)], "calls that were slow")
