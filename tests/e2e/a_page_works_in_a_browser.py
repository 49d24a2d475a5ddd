# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
"""A real Chromium opens pages of real recordings from file://: every view, brushing, search, zoom,
undo, links, saving; figures are the report's, nothing is fetched (tests/web/page.mjs)."""
from lib import *

need_tool("chromium")
need_tool("node")
if not os.path.isdir(os.path.join(TOP, "build/node_modules/playwright-core")):
    skip("playwright-core is not installed: tools/install-deps")


def page(recording, name, *args):
    path = os.path.join(TEMP, f"{name}.html")
    dwell("html", recording, "-o", path, *args)
    return path


def save(name, text):
    path = os.path.join(TEMP, name)
    with open(path, "w") as file:
        file.write(text)
    return path


demo = record("--slice", "250ms", command=[workload("demo"), "3000"])
# Long enough for a heat map.
long = record("--slice", "100ms", command=["sleep", "10.3"])
lossy = os.path.join(TEMP, "lossy.dwell")
hostile = os.path.join(TEMP, "hostile.dwell")
shutil.copy(demo.path, lossy)
shutil.copy(demo.path, hostile)
with sqlite3.connect(lossy) as database:
    database.execute("insert or replace into losses(name, count, ns) values ('overflow', 4711, 1000000)")
with sqlite3.connect(hostile) as database:
    # A function of the program, too: its own are what the list of waits shows.
    database.execute("update frames set name = ? where name in ('do_syscall_64', 'save_to_disk')",
                     ("</script><script>window.hacked=1</script>",))
    database.execute("update frames set name = ? where name = 'schedule'", ("x" * (1 << 20),))
    database.execute("update frames set name = ? where name = '__schedule'",
                     ("a\u202eb\"'<img src=x onerror=window.hacked=1>",))
    database.execute("update threads set comm = ? where comm = 'cpu-hog'", ("<b>\"';&hog",))

# Events of two measures, made of the rows of time; the one of bytes has large values.
counted = os.path.join(TEMP, "counted.dwell")
shutil.copy(demo.path, counted)
# Of allocations one in 50 was looked at.
MEASURES = ((1, "page-faults", "count", "page fault", "where memory was touched for the first time", "event", 1),
            (2, "alloc", "bytes", "allocation", "memory by who asked for it", "alloc", 50))
HOSTILE = (3, "</script><script>window.hacked=1</script>\"';", "<b>;\n\"", "<img src=x onerror=window.hacked=1>;\n",
           "'\"><script>window.hacked=1</script>", "<b>", 1)
for path, measures in ((counted, MEASURES), (hostile, (HOSTILE,))):
    with sqlite3.connect(path) as database:
        for measure in measures:
            database.execute("insert into measures(id, name, unit, event, about, kind) values (?, ?, ?, ?, ?, ?)", measure[:6])
            database.execute(
                "insert into counts(measure, thread, slice, kernel_stack, user_stack, count, value, max_value, events, "
                "awaited) select ?1, thread, slice_last, kernel_stack, user_stack, count, count * ?2, ?2, count * ?3, 0 from sums "
                "where count > 0", (measure[0], 1 if measure[2] == "count" else 8192, measure[6]))
            database.execute("insert or replace into memory select p.id, s.id, (s.id + 1) << 20, 4096 from processes p, slices s "
                             "where p.id = (select min(id) from processes)")

for view in ("offcpu", "oncpu", "runq", "hotcold", "wakeup", "offwake", "chain"):
    dwell("flame", "--view", view, "--idle", "hide", "-o", os.path.join(TEMP, f"{view}.folded"),
          demo.path)
for view in ("offcpu", "offwake", "chain"):
    dwell("flame", "--view", view, "--idle", "hide", "-o", os.path.join(TEMP, f"{view}.svg"), demo.path)
for view in ("offcpu", "oncpu", "runq", "hotcold"):
    save(f"functions-{view}.json", dwell("report", "--functions", "--json", "--top", "1000", "--view", view, "--idle",
                                         "hide", demo.path).stdout)
for measure in MEASURES:
    dwell("flame", "--view", measure[1], "-o", os.path.join(TEMP, f"{measure[1]}.folded"), counted)

def emptied(path):
    """A copy of the recording in which nobody did anything."""
    copy = os.path.join(TEMP, "emptied.dwell")
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as database:
        for table in ("sums", "shares", "queues", "counts", "open", "threads"):
            database.execute(f"delete from {table}")
    return copy


environment = dict(
    os.environ, HOME=TEMP, FOLDED=TEMP,
    PAGE=page(demo.path, "page"),
    REPORT=save("report.json", dwell("report", "--json", demo.path).stdout),
    RANGE_REPORT=save("range.json", dwell("report", "--json", "--from", "0.5", "--to", "1.5",
                                          demo.path).stdout),
    EMPTY=page(emptied(demo.path), "empty"),
    COUNTED=page(counted, "counted"),
    COUNTED_REPORT=save("counted.json", dwell("report", "--json", counted).stdout),
    COUNTED_RANGE=save("counted-range.json", dwell("report", "--json", "--from", "0.5", "--to",
                                                   "1.5", counted).stdout),
    LONG=page(long.path, "long"), LOSSY=page(lossy, "lossy"), HOSTILE=page(hostile, "hostile"),
    REDACTED=page(demo.path, "redacted", "--redact"))
size = os.path.getsize(environment["PAGE"])
check(size < 2 << 20, f"the page has {size} bytes")
check_scripts("tests/web/page.mjs", timeout=380, env=environment)
