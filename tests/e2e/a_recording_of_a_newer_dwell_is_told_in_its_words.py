# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording with numbers that only a newer dwell has (states, bands, ends, kinds, reasons) is read by
every command, which show them by the words that the recording holds, and say what they leave out."""
import base64
import gzip
import lzma
from lib import *

# A number that no dwell has for long; of no_stack there are fewer.
NEW, NEW_NO_STACK = 200, 15
WORDS = [("state", NEW, "throttled"), ("band", NEW, "for ages"), ("object_kind", NEW, "enclave"),
         ("unwind_end", NEW, "met a wormhole"), ("name_reason", NEW, "a secret"),
         ("hop_kind", NEW, "portal"), ("chain_end", NEW, "para;dox\x1b"),
         ("no_stack", NEW_NO_STACK, "[left at home]")]


def make_newer(path, words):
    database = sqlite3.connect(path)
    database.executemany("INSERT INTO words VALUES (?, ?, ?)", words)
    database.executescript(f"""
            INSERT INTO sums SELECT NULL, thread, slice_first, slice_last, {NEW}, letter, band,
                kernel_stack, user_stack, count, ns, max_ns, first_ns, last_ns, chain
                FROM sums WHERE state = 3 LIMIT 3;
            UPDATE sums SET band = {NEW} WHERE state = 3;
            UPDATE frames SET name = '', reason = {NEW} WHERE name = 'take_a_turn';
            UPDATE objects SET kind = {NEW}, path = '' WHERE path LIKE '%/demo';
            UPDATE stacks SET unwind_end = {NEW}
                WHERE frame IN (SELECT id FROM frames WHERE name = '__lll_lock_wait');
            UPDATE sums SET user_stack = {NEW_NO_STACK} WHERE thread = (SELECT id FROM threads
                WHERE comm = 'disk-writer') AND state = 3;
            UPDATE hops SET kind = {NEW} WHERE name = 'hrtimer_wakeup';
            UPDATE chains SET chain_end = {NEW} WHERE chain_end NOT IN (0, 1);""")
    database.commit()
    database.close()


def data_of(path):
    """The JSON inside a page."""
    with open(path, encoding="utf-8") as file:
        packed = re.search(r'id="dwell-data">([A-Za-z0-9+/=]*)</script>', file.read()).group(1)
    plain = gzip.decompress(base64.b64decode(packed))
    return json.loads(plain[4:4 + int.from_bytes(plain[:4], "little")])


def flame(view, path):
    return dwell("flame", "-f", "--idle", "show", "--unit", "ns", "--view", view, path).stdout


def total(folded_text):
    return sum(int(line.rpartition(" ")[2]) for line in folded_text.splitlines())


old = "old.dwell"
with open(old, "wb") as file:
    file.write(lzma.open(os.path.join(TOP, "tests/data/recordings/format-3.dwell.xz")).read())
shutil.copy(old, "new.dwell")
shutil.copy(old, "bare.dwell")
make_newer("new.dwell", WORDS)
make_newer("bare.dwell", [])

text = dwell("report", "new.dwell").stdout
check(text.count("throttled") == 1 and "3 rows of state 'throttled' left out" in text, text)
check("accounted 100 %" in text and "lost: see below" in text, text)
check("rows of length 'for ages'" in dwell("report", "--full", "new.dwell").stdout, "bands")
before, after = (report_json(path) for path in (old, "new.dwell"))
check(after["accounting"]["lost_events"] == 3, f"{after['accounting']}")
for name in ("life_ns", "running_ns", "runnable_ns", "blocked_ns"):
    check(before["totals"][name] == after["totals"][name], f"{name} is not the same")
kinds = {hop["kind"] for line in after["lines"] for chain in line.get("chains", ()) for hop in chain["hops"]}
ends = {chain["end"] for line in after["lines"] for chain in line.get("chains", ())}
check("portal" in kinds and "para:dox?" in ends, f"{kinds} {ends}")
check("met a wormhole" in {entry["end"] for entry in after["accounting"]["user_stacks_by_end"]},
      f"{after['accounting']}")

for view, words in (("offcpu", ("[met a wormhole];", "[left at home];", "[enclave]+0x", " [a secret];")),
                    ("chain", ("[portal hrtimer_wakeup]", "[para:dox?]")),
                    ("wakeup", ("[portal hrtimer_wakeup];", "[para:dox?];"))):
    folded_text = flame(view, "new.dwell")
    for word in words:
        check(word in folded_text, f"{view}: no {word}")
    check(total(folded_text) == total(flame(view, old)), f"{view}: time is missing")
check("[unwind end 200];" in flame("offcpu", "bare.dwell"), "a number without a word")
check("[chain end 200]" in flame("chain", "bare.dwell"), "a number without a word")
check("3 rows of state 'state 200' left out" in dwell("report", "bare.dwell").stdout, "its number")

dwell("html", "new.dwell", "-o", "new.html")
data = data_of("new.html")
check(data["bands"][NEW] == "for ages" and data["hop_kinds"][NEW][0] == "portal", "the page's words")
check(data["chain_ends"][NEW] == ["para:dox?", "[para:dox?]", True, "para:dox?"], f"{data['chain_ends'][NEW]}")
check("[met a wormhole]" in data["labels"], "the page's frames")

dwell("diff", old, "new.dwell", "-o", "both.folded")
with open("both.folded") as file:
    check("[met a wormhole];" in file.read(), "a difference")
