# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of 60,000 short-lived processes, made from a real one of one: what report and html need
more for it is some 200 bytes for each thread."""
from lib import *

THREADS = 60_000
MOST = 220
LIFE = 3 * MS


def multiply(path, threads):
    """Adds threads that ran, waited for a CPU, were blocked in the real one's stacks and sampled."""
    shutil.copy("base.dwell", path)
    database = sqlite3.connect(path)
    words = {(kind, word): number for kind, number, word in
             database.execute("SELECT kind, number, word FROM words")}
    columns = [row[1] for row in database.execute("PRAGMA table_info(sums)")]
    model = dict(zip(columns, database.execute(
        "SELECT * FROM sums WHERE state = ? ORDER BY ns DESC", (words["state", "blocked"],)).fetchone()))
    first = database.execute("SELECT max(id) + 1 FROM sums").fetchone()[0]
    rows = []

    def add(thread, state, ns, **values):
        row = {**model, "id": first + len(rows), "thread": thread, "state": words["state", state],
               "ns": ns, "max_ns": ns, "first_ns": ns, "last_ns": 0, "slice_first": 0, "slice_last": 0,
               "count": 1, "chain": 0, "letter": "", "kernel_stack": 0, "band": 3, **values}
        rows.append(tuple(row[column] for column in columns))

    for i in range(10_000, 10_000 + threads):
        add(i, "running", MS, user_stack=0)
        add(i, "woken", MS // 2, user_stack=0)
        add(i, "blocked", LIFE - MS - MS // 2, letter="S", kernel_stack=model["kernel_stack"])
        if i % 3 == 0:
            add(i, "sample", 0, max_ns=0, first_ns=0)
    database.executemany("INSERT INTO processes VALUES(?, ?, 'sh', '/bin/sh', '', 0)",
                         ((i, i) for i in range(10_000, 10_000 + threads)))
    database.executemany("INSERT INTO threads VALUES(?, ?, ?, ?, 0, ?, ?, ?, 0, ?, 1, 0)",
                         ((i, i, i, f"worker{i % 50}", LIFE, MS, MS // 2, LIFE - MS - MS // 2)
                          for i in range(10_000, 10_000 + threads)))
    database.executemany(f"INSERT INTO sums VALUES({', '.join('?' * len(columns))})", rows)
    database.commit()
    database.close()


def most_memory(*arguments):
    process = subprocess.Popen([DWELL, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    check(not status, f"{arguments}: {status}")
    return usage.ru_maxrss << 10


record(command=["sleep", "0.3"], path="base.dwell")
# In a process of its own: the most that this one ever had counts for those that it starts.
child = os.fork()
if not child:
    multiply("large.dwell", THREADS)
    os._exit(0)
os.waitpid(child, 0)
for command in (["report"], ["html", "-o", "x.html"]):
    small, large = (most_memory(*command, path) for path in ("base.dwell", "large.dwell"))
    each = (large - small) / THREADS
    check(each < MOST, f"{command}: {each:.0f} bytes for each thread")
