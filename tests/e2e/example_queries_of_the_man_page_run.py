# SPDX-License-Identifier: GPL-2.0-or-later
"""The example queries of dwell-recording(5) work on a recording, and find something in it."""
import re
from lib import *

recording = record("-F", "999", "-e", "page-faults", "--calls", "syscall:*nanosleep", "--slower", "1us",
                   command=[workload("mixed_waits"), "500"])
with open(os.path.join(TOP, "man/dwell-recording.5")) as file:
    blocks = re.findall(r"^\.EX\n(.*?)^\.EE", file.read(), re.M | re.S)
queries = [block for block in blocks if re.match(r"SELECT|WITH", block)]
check(len(queries) >= 3, f"only {len(queries)} example queries")
for query in queries:
    for mark, text in ((r"\-", "-"), (r"\(aq", "'"), (r"\(dq", '"'), (r"\e", "\\"), (r"\&", "")):
        query = query.replace(mark, text)
    # The page's thread is not there; one that was woken is.
    query = query.replace("'server'", "'" + recording.rows("SELECT comm FROM causes")[0][0] + "'")
    found = recording.rows(query)
    # Nothing was lost, it is to be hoped, and with its program every call has ended.
    check(found or "FROM losses" in query or "FROM open_calls" in query, f"no rows from: {query}")
    if "worst_ns" in query:
        check(found[0][-1] <= MS, f"the books: {found}")
