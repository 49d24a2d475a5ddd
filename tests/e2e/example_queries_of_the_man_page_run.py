# SPDX-License-Identifier: GPL-2.0-or-later
"""The example queries of dwell-recording(5) work on a recording, with stock sqlite3."""
import re
from lib import *

recording = record(command=[workload("mixed_waits"), "500"], stdin=subprocess.DEVNULL)
with open(os.path.join(TOP, "man/dwell-recording.5")) as file:
    examples = re.findall(r"^\.EX\n(.*?)^\.EE", file.read(), re.M | re.S)
queries = []
for example in examples:
    text = example.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")
    queries += re.findall(r"\b(?:SELECT|WITH)\b.*?(?=;|\Z)", text, re.S)
check(len(queries) >= 3, f"only {len(queries)} example queries")
for query in queries:
    check(recording.rows(query.strip().strip("\"'")), f"no rows from: {query}")
