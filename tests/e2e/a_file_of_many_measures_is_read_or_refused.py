# SPDX-License-Identifier: GPL-2.0-or-later
"""As many measures as a file may name have their rows each; a file that names more than any dwell
counts, which would hold the report and the page up, is refused."""
from lib import *

need_root()
ROWS = 6400
MOST = 64


def with_measures(source, count):
    """A copy of the recording whose rows are of so many measures in turn."""
    path = os.path.join(TEMP, f"{count}.dwell")
    shutil.copy(source, path)
    with sqlite3.connect(path) as database:
        thread = database.execute("SELECT min(id) FROM threads").fetchone()[0]
        stacks = [row[0] for row in database.execute("SELECT id FROM stacks LIMIT 100")]
        database.execute("DELETE FROM counts")
        database.execute("DELETE FROM measures")
        database.executemany("INSERT INTO measures VALUES (?, ?, 'count', 'event', 'made up', 'event')",
                             [(i + 1, f"measure-{i}") for i in range(count)])
        database.executemany("INSERT INTO counts VALUES (?, ?, ?, 0, 0, ?, 1, 1, 1, 1, 0)",
                             [(i + 1, i % count + 1, thread, stacks[i // count % len(stacks)])
                              for i in range(ROWS)])
    return path


source = record("-e", "page-faults", command=[workload("toucher"), "10"]).path
many = with_measures(source, MOST)
measures = report_json(many)["measures"]
check(len(measures) == MOST and all(one["count"] == ROWS // MOST for one in measures),
      [(one["name"], one["count"]) for one in measures])
dwell("html", "-o", "page.html", many)
for command in (("report",), ("html", "-o", "page.html")):
    check_one_line_error(dwell(*command, with_measures(source, MOST + 1), status=2),
                         "damaged recording", f"more than {MOST} measures")
