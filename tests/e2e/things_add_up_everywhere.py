# SPDX-License-Identifier: GPL-2.0-or-later
"""What waits were for, in every output: tables, stacks and filters have the same time, to the nanosecond;
hostile names are harmless, and a redacted page has none of them. In a real Chromium the page's choice of
things has the table's figures (tests/web/things.mjs)."""
import base64
import gzip
import xml.dom.minidom
from lib import *

SECRETS = ("/srv/db/secret.wal", "10.1.2.3", "/run/secret.sock", "evil")
HOSTILE = "/srv/\x1b[31mevil;name\n</script><script>window.hacked=1</script>" + "x" * 4000
KIND_FILE, KIND_TCP_TO, KIND_UNIX_TO, KIND_FUTEX = 1, 4, 8, 24

# By what a kernel stack has in it: a thing for each wait, in turn. A nap is for no socket, so these are not told.
THINGS = {
    "futex": [(KIND_FUTEX, "cache_lock", "demo", 0, 0x4010), (KIND_FUTEX, "", "heap", 0, 0x5010)],
    "io_schedule": [(KIND_FILE, "/srv/db/secret.wal", "vda1", 0, 7), (KIND_FILE, HOSTILE, "vda1", 0, 8), (KIND_FILE, "", "", 0, 0)],
    "nanosleep": [(KIND_TCP_TO, "10.1.2.3", "", 9000, 0), (KIND_UNIX_TO, "/run/secret.sock", "", 0, 0)],
}


def put_things(path):
    with sqlite3.connect(path) as database:
        database.execute("update sums set awaited = 0, owner = 0")
        database.execute("update hops set waited_for = 0")
        database.execute("delete from awaited")
        known = {}
        rows = database.execute(
            "with recursive below(leaf, id, parent, frame) as (select id, id, parent, frame from stacks union all "
            "select leaf, s.id, s.parent, s.frame from below join stacks s on s.id = below.parent) "
            "select sums.rowid, group_concat(frames.name) from sums join below on below.leaf = sums.kernel_stack "
            "join frames on frames.id = below.frame where sums.state = 3 group by sums.rowid").fetchall()
        for number, (row, frames) in enumerate(rows):
            for part, things in THINGS.items():
                if part not in frames:
                    continue
                thing = things[number % len(things)]
                # A file without a name: all files that were not told apart.
                is_folded = thing == (KIND_FILE, "", "", 0, 0)
                if thing not in known:
                    known[thing] = KIND_FILE if is_folded else 1000 + len(known)
                    database.execute("insert into awaited(id, kind, name, place, port, address, process) "
                                     "values (?, ?, ?, ?, ?, ?, 0)", (known[thing], *thing))
                database.execute("update sums set awaited = ? where rowid = ?", (known[thing], row))


def table(*args):
    return json.loads(dwell("report", "--things", "--json", recording.path, *args).stdout)


def folded(*args):
    text = dwell("flame", "-f", "--unit", "ns", recording.path, *args).stdout
    return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in text.splitlines()}


recording = record("--slice", "250ms", command=[workload("demo"), "2000"])
put_things(recording.path)

# The table, the report, and stacks named by things have the same blocked time.
for idle in ("show", "hide"):
    things = table("--idle", idle)
    blocked = sum(folded("--state", "blocked", "--idle", idle).values())
    rows = things["things"] + [things["not_told"]]
    check(things["total_ns"] == blocked, f"{things['total_ns']} ns, not {blocked}")
    check(sum(row["total_ns"] for row in rows) == blocked, "rows add up")
    for row in rows:
        for who in ("waiters", "ended_by"):
            check(sum(one["ns"] for one in row[who]) == row["total_ns"], f"{who} of {row}")
    named = folded("--by", "awaited", "--idle", idle)
    check(sum(named.values()) == blocked, "stacks add up")
    roots = {}
    for stack, ns in named.items():
        roots[stack.split(";")[0]] = roots.get(stack.split(";")[0], 0) + ns
    for row in things["things"]:
        check(roots[row["thing"].replace(";", ":")] == row["total_ns"], f"{row['thing'][:60]}: {roots.keys()}")
    check(roots["[not told]"] == things["not_told"]["total_ns"], "what is not told")
check(not any("10.1.2.3" in row["thing"] or "secret.sock" in row["thing"] for row in things["things"]), "no nap is for a socket")

# A filter leaves its things in all outputs.
for pattern in ("mutex cache_lock", "*secret.wal", "other files"):
    left = table("--for", pattern)
    check(len(left["things"]) == 1 and "not_told" not in left, f"{pattern}: {left}")
    check(sum(folded("--for", pattern, "--idle", "hide").values()) == left["total_ns"], pattern)
    report = json.loads(dwell("report", "--json", "--for", pattern, recording.path).stdout)
    check(report["totals"]["blocked_ns"] >= left["total_ns"] and not report["totals"]["running_ns"], pattern)

# As text: 80 columns, nothing that a terminal obeys.
text = dwell("report", "--things", recording.path).stdout
check(max(map(len, text.split("\n"))) <= 80 and "\x1b" not in text, text)
picture = os.path.join(TEMP, "a.svg")
dwell("flame", "--by", "comm,awaited", "-o", picture, recording.path)
xml.dom.minidom.parse(picture)

for command, words in ((("report", "--things", "--for", "nothing so called"), "filters"),
                       (("report", "--for", "nothing so called"), "filters"),
                       (("flame", "-f", "--for", "nothing so called"), "filters")):
    check_one_line_error(dwell(*command, recording.path, status=1), words)
for command, words in ((("report", "--for", ""), "--for"), (("report", "--by", "awaited"), "--things"),
                       (("report", "--things", "--functions"), "two tables"), (("html", "--by", "awaited"), "choice of things"),
                       (("flame", "-f", "--view", "oncpu", "--by", "awaited"), "offcpu")):
    check_one_line_error(dwell(*command, recording.path, status=2), words)

page, redacted, plain = (os.path.join(TEMP, f"{name}.html") for name in ("page", "redacted", "plain"))
dwell("html", recording.path, "-o", page)
dwell("html", "--redact", "--for", "*secret*", recording.path, "-o", redacted)
with open(redacted) as file:
    html = file.read()
data = re.search(r'id="dwell-data">([^<]*)<', html).group(1)
unpacked = gzip.decompress(base64.b64decode(data)).decode("utf-8", "replace")
for secret in SECRETS + ("secret",):
    where = html.replace(data, "") + unpacked
    at = where.find(secret)
    check(at < 0, f"{secret} is in the redacted page: {where[max(at - 150, 0):at + 80]!r}")
check("a file on vda1" in unpacked and "some things" in html, "what may be told is")

with sqlite3.connect(recording.path) as database:
    things = table()
    database.execute("update sums set awaited = 0")
    database.execute("delete from awaited")
check("does not hold what waits were for" in dwell("report", "--things", recording.path).stderr, "a reason")
dwell("html", recording.path, "-o", plain)

need_tool("chromium")
need_tool("node")
if not os.path.isdir(os.path.join(TOP, "build/node_modules/playwright-core")):
    skip("playwright-core is not installed: tools/install-deps")
with open(os.path.join(TEMP, "things.json"), "w") as file:
    json.dump(things, file)
run("node", "--test", os.path.join(TOP, "tests/web/things.mjs"), timeout=100, env=dict(
    os.environ, HOME=TEMP, PAGE=page, PLAIN=plain, REDACTED=redacted, THINGS=os.path.join(TEMP, "things.json")))
