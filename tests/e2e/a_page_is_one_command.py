# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell html` writes the page where it should, whole or not at all, without privilege; bad
recordings are one line; filters and --redact are kept in what is packed."""
import base64
import gzip
from lib import *


def data_of(path):
    """The JSON inside a page."""
    with open(path, encoding="utf-8") as file:
        packed = re.search(r'id="dwell-data">([A-Za-z0-9+/=]*)</script>', file.read()).group(1)
    plain = gzip.decompress(base64.b64decode(packed))
    return json.loads(plain[4:4 + int.from_bytes(plain[:4], "little")])


recording = record("--slice", "100ms", path=os.path.join(TEMP, "last.dwell"),
                   command=[workload("demo"), "1000"])
check("wrote dwell.html" in dwell("html").stderr, "the name of last.dwell's page")
shutil.copy("last.dwell", "slow.dwell")
dwell("html", "slow.dwell")
check(os.path.exists("slow.html"), f"{os.listdir('.')}")
check(dwell("html", "-o", "-").stdout.startswith("<!doctype html>"), "to stdout")

whole = data_of("dwell.html")
check(whole["buckets"] <= 600 and whole["recording"]["file"] == "last.dwell", f"{whole['recording']}")
check(len(whole["threads"]) == len(recording.threads), "all threads are there")
with open("dwell.html", encoding="utf-8") as file:
    text = file.read()
check("connect-src" not in text and "default-src 'none'" in text, "the policy")
check(not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", text), "nothing is fetched")

dwell("html", "-n", "convoy*", "--from", "0.5", "-o", "part.html")
part = data_of("part.html")
check({thread["comm"][:6] for thread in part["threads"]} == {"convoy"}, f"{part['threads']}")
check(part["from_ns"] == 500 * MS, f"{part['from_ns']}")
with open("part.html", encoding="utf-8") as file:
    check("This page holds only: 0.500 s to" in file.read(), "the filters are told")

dwell("html", "--redact", "-o", "redacted.html")
redacted = data_of("redacted.html")
check(redacted["recording"]["host"] == redacted["recording"]["command_line"] == "", "host, command")
check(not any(re.search(r"/\w+/", label) for label in redacted["labels"]),
      f"{[label for label in redacted['labels'] if '/' in label][:5]}")
check(any("/" in label for label in whole["labels"]), "there was something to leave out")

check_one_line_error(dwell("html", "gone.dwell", status=2), "gone.dwell")
with open("bad.dwell", "w") as file:
    file.write("x" * 10000)
check_one_line_error(dwell("html", "bad.dwell", status=2), "bad.dwell")
check(not os.path.exists("bad.html"), "nothing is left behind")
check_one_line_error(dwell("html", "-o", "/nowhere/x.html", status=2), "/nowhere/x.html")
check_one_line_error(dwell("html", "a", "b", status=2), "too many")
