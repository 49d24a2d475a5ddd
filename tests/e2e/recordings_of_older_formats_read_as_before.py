# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings that dwells of formats 1 to 8 made (tests/data/recordings) give the same report, the
same data, the same stacks in every view, the same picture and the same page as they did then."""
import base64
import difflib
import gzip
import hashlib
import html
import lzma
from lib import *

FOLDER = os.path.join(TOP, "tests/data/recordings")
ALL_VIEWS = ("offcpu", "oncpu", "runq", "hotcold", "wakeup", "offwake", "chain")
VIEWS = {1: ALL_VIEWS[:4], 2: ALL_VIEWS, 3: ALL_VIEWS, 4: ALL_VIEWS, 5: ALL_VIEWS, 6: ALL_VIEWS,
         7: ALL_VIEWS, 8: ALL_VIEWS}
# Lists of words grow at their end, and columns of the page find their words by number.
WORDS = ("states", "reasons", "bands", "hop_kinds", "chain_ends", "idles")
# What a page says of itself: its form, where its tables stand, and the buttons of its views.
OWN = ("version", "tables", "views")
is_update = os.environ.get("DWELL_UPDATE_GOLDEN") == "1"


def picture(text):
    """The boxes and their words, without the program and the style inside the file."""
    return re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.S)


def numbers(data, at):
    """All numbers of the page's tables: seven bits a byte, the lowest first."""
    value = shift = 0
    for byte in data[at:]:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def column(source, encoding, rows):
    """The values of one column, which is written in one of three ways (page_data.c)."""
    values, before = [], 0
    for row in range(rows):
        value = next(source)
        if encoding == "back":
            value = row - value
        elif encoding == "delta":
            value = before = before + (-(value + 1) // 2 if value % 2 else value // 2)
        values.append(value)
    return values


def page(text):
    """What a page shows: the words of the part that needs no scripts, its texts, and a hash of each
    column of its tables. How the data is packed, and the page's own code, may change."""
    fallback = re.search(r"<body>(.*)<noscript>", text, re.S).group(1)
    packed = re.search(r'id="dwell-data">([A-Za-z0-9+/=]*)</script>', text).group(1)
    data = gzip.decompress(base64.b64decode(packed))
    end = 4 + int.from_bytes(data[:4], "little")
    head = json.loads(data[4:end])
    source = numbers(data, end)
    columns = {}
    for table in head["tables"]:
        for name, encoding in table["columns"]:
            values = column(source, encoding, table["rows"])
            digest = hashlib.sha256(repr(values).encode()).hexdigest()
            columns[f"{table['name']}.{name}"] = f"{table['rows']} rows, {digest[:16]}"
    check(next(source, None) is None, "the tables of the page are shorter than its data")
    # What was too small for the page: its figures, whatever their names.
    head["folded"] = list(head["folded"].values())
    words = html.unescape(re.sub(r"<[^>]*>", "\n", fallback)).split("\n")
    return {"texts": [line.strip() for line in words if line.strip()], "columns": columns,
            "head": {name: value for name, value in head.items() if name not in OWN}}


def outputs(number):
    """By the name of the file that keeps it, everything that is shown of one recording."""
    name = f"format-{number}.dwell"
    shown = {"report.txt": dwell("report", name).stdout,
             "report.json": dwell("report", "--json", name).stdout,
             "offcpu.svg": picture(dwell("flame", "--idle", "show", "--colors", "io", name).stdout)}
    for view in VIEWS[number]:
        shown[f"{view}.folded"] = dwell("flame", "-f", "--unit", "ns", "--idle", "show", "--view", view,
                                        name).stdout
    dwell("html", name, "-o", "page.html")
    with open("page.html") as file:
        shown["page.json"] = json.dumps(page(file.read()), indent=1) + "\n"
    return shown


def differences(name, kept, shown):
    """The first lines that differ; data is broken into lines for that."""
    if name == "report.json":
        kept, shown = (text.replace(",", ",\n") for text in (kept, shown))
    lines = difflib.unified_diff(kept.splitlines(), shown.splitlines(), "before", "now", "", "", 1, "")
    return "\n".join(line[:300] for line in list(lines)[:40])


def only_what_was_there(kept, shown):
    """The page as it is now, less words and columns that it did not have."""
    before, now = json.loads(kept), json.loads(shown)
    for list_name in WORDS:
        now["head"][list_name] = now["head"][list_name][:len(before["head"][list_name])]
    for part in ("head", "columns"):
        now[part] = {name: value for name, value in now[part].items() if name in before[part]}
    return json.dumps(now, indent=1) + "\n"


# Local time would be in the text.
os.environ.update(TZ="UTC", LC_ALL="C.UTF-8")
wrong = []
for number in VIEWS:
    with open(f"format-{number}.dwell", "wb") as file:
        file.write(lzma.open(f"{FOLDER}/format-{number}.dwell.xz").read())
    [[have]] = Recording(f"format-{number}.dwell").rows("PRAGMA user_version")
    check(have == number, f"format-{number}.dwell is of format {have}")
    shown = outputs(number)
    folder = f"{FOLDER}/format-{number}"
    if is_update:
        os.makedirs(folder, exist_ok=True)
        for name, text in shown.items():
            with lzma.open(f"{folder}/{name}.xz", "wt", preset=9) as file:
                file.write(text)
    check({f"{name}.xz" for name in shown} == set(os.listdir(folder)), f"{os.listdir(folder)}")
    for name, text in shown.items():
        kept = lzma.open(f"{folder}/{name}.xz", "rt").read()
        if name == "page.json":
            text = only_what_was_there(kept, text)
        if text != kept:
            wrong.append(f"format {number}, {name}:\n" + differences(name, kept, text))
check(not wrong, "\n".join(wrong))
