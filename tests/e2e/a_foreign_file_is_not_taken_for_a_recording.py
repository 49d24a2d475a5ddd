# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are no recordings, or of a format to come, are refused with one line and exit 2."""
from lib import *


def refused(path, *words):
    for args in (("report", path), ("flame", "-f", path), ("report", "--json", path)):
        result = dwell(*args, status=2)
        check_one_line_error(result, *words)
        check(not result.stdout, f"{args} printed something")


with open("text", "w") as file:
    file.write("just text\n" * 1000)
open("empty", "w").close()
with sqlite3.connect("database") as database:
    database.execute("CREATE TABLE meta (name, value)")
    database.execute("INSERT INTO meta VALUES ('version', 1)")
os.mkdir("folder")
os.mkfifo("fifo")

refused("text", "text")
refused("empty", "empty")
refused("database", "database")
refused("folder", "folder")
refused("missing.dwell", "missing.dwell")
refused("/dev/null", "/dev/null")

if os.getuid() == 0:
    newer = record(command=["true"])
    with sqlite3.connect(newer.path) as database:
        version, = database.execute("PRAGMA user_version").fetchone()
        database.execute(f"PRAGMA user_version = {version + 1}")
    database.close()
    refused(newer.path, "newer")
