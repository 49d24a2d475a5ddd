#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares unwind tables with `readelf --debug-dump=frames-interp`, row by row.

usage: compare.py [-j JOBS] [-q] CFI_ROWS FILE|FOLDER...

From readelf's text alone the whole table that dwell should have is made: FDEs sorted and cut, equal
neighbours dropped, gaps, holes and entry stubs put in; gaps that dwell describes by reading their
code are followed in objdump's listing of it. It must be the table that CFI_ROWS
(tests/cfi/cfi_rows.c) prints, no row more, no row less. readelf says only "exp" for expressions: what
they are is taken from its listing of the instructions. Prints a line for each file that differs, and
at last what was compared. Exit status 1: something differs.
"""
import argparse
import bisect
import collections
import concurrent.futures
import os
import re
import struct
import subprocess
import sys

PADDING, HOLE, STUB, PAGE, READ, ALIGNED = 16, 2048, 64, 4096, 512, 65
GAP, FRAMEPTR = ("gap", 0, "same", 0), ("frameptr", 0, "same", 0)
STOP, BAD, SIGNAL = ("stop", 0, "same", 0), ("bad", 0, "same", 0), ("signal", 0, "same", 0)
OWN = ("own", 0)
ORDER = {"eh_frame": 0, "debug_frame": 1, "zdebug_frame": 1, "own": 2}
SHOWN = 3  # differences of one file

HEAD = re.compile(r"^([0-9a-f]{8,16}) [0-9a-f]+ [0-9a-f]+ (CIE|FDE) (?:cie=([0-9a-f]+) "
                  r'pc=([0-9a-f]+)\.\.([0-9a-f]+)|"([^"]*)")')
IN_REGISTER = re.compile(r"\br\d+ \((\w+)\)")
RAW_HEAD = re.compile(r"^([0-9a-f]{8,16}) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)(?: cie=([0-9a-f]+))?")
SECTION = re.compile(r"^Contents of the \.(eh_frame|debug_frame|zdebug_frame) section")
RAW_EXPRESSION = re.compile(
    r"^  DW_CFA_(def_cfa_expression|expression: r(\d+) \(\w+\)) \((.*)\)$")
PLT = re.compile(r"DW_OP_breg7 \(rsp\): 8; DW_OP_breg16 \(rip\): 0; DW_OP_lit15; DW_OP_and; "
                 r"DW_OP_lit(\d+); DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus$")
SUM = re.compile(r"DW_OP_breg([67]) \((?:rbp|rsp)\): (-?\d+)(; DW_OP_deref)?"
                 r"(?:; DW_OP_(?:plus_uconst: |lit)(\d+)(?:; DW_OP_plus)?)?$")


class Image:
    """The few facts of ELF headers that a table depends on; None where it is not for us."""

    def __init__(self, path):
        with open(path, "rb") as file:
            head = file.read(64)
            self.is_ours = head[:6] == b"\x7fELF\x02\x01" and len(head) == 64
            if not self.is_ours:
                return
            (kind, machine, _, self.entry, phoff, shoff, _, _, phsize, phnum, shsize, shnum,
             names) = struct.unpack("<HHIQQQIHHHHHH", head[16:])
            self.plts = []
            self.is_ours = machine == 62 and kind in (2, 3)
            self.segments = [(vaddr, vaddr + bytes_) for type_, flags, _, vaddr, _, bytes_, _, _ in
                             self.table(file, phoff, phsize, phnum, "<IIQQQQQQ")
                             if type_ == 1 and flags & 1 and bytes_]
            headers = list(self.table(file, shoff, shsize, shnum, "<IIQQQQIIQQ"))
            found = [(name, (address, address + size))
                     for name, type_, flags, address, _, size, _, _, _, _ in headers
                     if type_ == 1 and flags & 4 and size]
            sections = [section for _, section in found]
            if names < len(headers):
                file.seek(headers[names][4])
                names = file.read(headers[names][5])
                self.plts = [(names[name:].split(b"\0")[0], *self.clipped(section))
                             for name, section in found if self.clipped(section) and
                             names[name:].startswith(b".plt")]
        plts = {plt[1] for plt in self.plts}
        self.pieces = sorted(text for text in map(self.clipped, sections) if text and
                             text[0] not in plts)
        self.texts = self.joined([text for text in map(self.clipped, sections) if text] or
                                 self.segments)

    def table(self, file, offset, size, count, layout):
        if not offset or size != struct.calcsize(layout):
            return
        file.seek(offset)
        for _ in range(count):
            yield struct.unpack(layout, file.read(size))

    def clipped(self, section):
        for start, end in self.segments:
            if start <= section[0] < end:
                return section[0], min(section[1], end)
        return None

    @staticmethod
    def joined(pieces):
        texts = []
        for start, end in sorted(pieces):
            if texts and start - texts[-1][1] < PADDING:
                texts[-1] = texts[-1][0], max(texts[-1][1], end)
            else:
                texts.append((start, end))
        return texts

    def text_of(self, address):
        for start, end in self.texts:
            if start <= address < end:
                return start, end
        return None


def run_readelf(path, what):
    process = subprocess.Popen(["readelf", f"--debug-dump=no-follow-links,{what}", path],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=dict(os.environ, LC_ALL="C"))
    with process.stdout as lines:
        yield from lines
    process.wait()


def expression_rule(text):
    """(kind, offset) of a CFA's expression, or None where dwell does not follow it."""
    found = PLT.match(text)
    if found:
        return "plt", int(found[1])
    found = SUM.match(text)
    if not found:
        return None
    base, first, second = "fp" if found[1] == "6" else "sp", int(found[2]), int(found[4] or 0)
    if not found[3]:
        return base, first + second
    return base + "*", first & 0xffff | (second & 0xffff) << 16


def read_expressions(path):
    """Of each record: its CIE, and by register ("cfa", 6, 16) the texts of expressions."""
    records, section, current = {}, None, None
    for line in run_readelf(path, "frames"):
        if line.startswith("Contents"):
            section = SECTION.match(line) and SECTION.match(line)[1]
        elif line.startswith("  DW_CFA_"):
            found = RAW_EXPRESSION.match(line) if "xpression" in line else None
            if found and current:
                place = int(found[2]) if found[2] else "cfa"
                current[1].setdefault(place, set()).add(found[3])
        elif section:
            found = RAW_HEAD.match(line)
            if found:
                cie = (section, int(found[3], 16)) if found[3] else None
                current = (cie, {})
                records[section, int(found[1], 16)] = current
    return records


class Frames:
    """readelf's rows: FDEs as (start, end, key, is_signal, [(address, cfa, rbp, ra)])."""

    def __init__(self, path):
        self.path, self.fdes, self.raw_rows, self.has_bx = path, [], 0, False
        self.expressions = None
        cies, section, rows, columns = {}, None, None, None
        for line in run_readelf(path, "frames-interp"):
            if line[:1].isspace() or line == "\n":
                if line.startswith("   LOC"):
                    names = line.split()
                    columns = [names.index(name) if name in names else None
                               for name in ("CFA", "rbp", "ra", "rbx")]
                continue
            if line.startswith("Contents"):
                section = SECTION.match(line) and SECTION.match(line)[1]
                continue
            found = section and (HEAD.match(line) if "FDE" in line or "CIE" in line else None)
            if found:
                key = section, int(found[1], 16)
                rows = []
                if found[2] == "CIE":
                    cies[key] = ("S" in found[6], rows)
                else:
                    self.fdes.append((int(found[4], 16), int(found[5], 16), key,
                                      (section, int(found[3], 16)), rows))
            elif rows is not None and columns and line[16:17] == " ":
                if "(" in line:
                    line = IN_REGISTER.sub(r"\1", line)
                words = line.split()
                self.raw_rows += 1
                rows.append((int(words[0], 16), words[columns[0]],
                             *(words[column] if column else "u" for column in columns[1:])))
                self.has_bx = self.has_bx or words[columns[0]].startswith("rbx")
        for i, (start, end, key, cie, rows) in enumerate(self.fdes):
            is_signal, first = cies.get(cie, (False, []))
            if not rows:
                rows = [(start, *row[1:]) for row in first]
            self.fdes[i] = start, end, key, is_signal, rows

    def texts_of(self, key, place):
        """The expressions that can be meant at a place of this record."""
        if self.expressions is None:
            self.expressions = read_expressions(self.path)
        cie, own = self.expressions[key]
        own = own.get(place) or (self.expressions.get(cie, (None, {}))[1].get(place) if cie else None)
        return own or set()


def place_rule(text, kind, offset):
    """Where a register with this expression is, relative to the CFA or to rbp, or None."""
    rule = expression_rule(text)
    if not rule or rule[0] not in ("sp", "fp"):
        return None
    if rule[0] == kind:
        return "cfa", rule[1] - offset
    return rule


def with_bx(rule, rbx):
    """The rule, and where rbx is: only in files that keep a frame in it."""
    place = 0 if rbx in ("u", "s") else int(rbx[1:]) if re.match(r"c[+-]\d+$", rbx) else None
    if place is None or rule[0] not in ("sp", "bx") or not -32768 <= rule[1] <= 32767:
        return BAD if rule[0] == "bx" else rule
    return *rule, place


def rules_of(frames, key, is_signal, cfa, rbp, ra, rbx):
    rules = rules_without_bx(frames, key, is_signal, cfa, rbp, ra)
    return {with_bx(rule, rbx) for rule in rules} if frames.has_bx else rules


def rules_without_bx(frames, key, is_signal, cfa, rbp, ra):
    """The rules that readelf's words can mean: one, but for records with several expressions."""
    if ra == "u":
        return {STOP}
    if cfa == "plt":
        bases = {("plt", 11)}
    elif cfa == "exp":
        bases = {expression_rule(text) for text in frames.texts_of(key, "cfa")} or {None}
    else:
        name, offset = re.match(r"(\w+)([+-]\d+)", cfa).groups()
        base = {"rsp": "sp", "rbp": "fp", "rbx": "bx"}.get(name)
        bases = {(base, int(offset)) if base else None}
    rules = set()
    for base in bases:
        if base is None:
            rules.add(BAD)
            continue
        ra_texts = frames.texts_of(key, 16) if ra == "exp" else {ra}
        fp_texts = frames.texts_of(key, 6) if rbp == "exp" else {rbp}
        for ra_text in ra_texts:
            for fp_text in fp_texts:
                rules.add(rule_of(base, ra_text, fp_text, ra == "exp", rbp == "exp", is_signal))
    return rules


def rule_of(base, ra, fp, ra_is_exp, fp_is_exp, is_signal):
    kind, offset = base
    if base == ("sp*", 160) and ra_is_exp and expression_rule(ra) == ("sp", 168):
        return SIGNAL
    if is_signal:
        return BAD
    fp_kind, fp_offset = "lost", 0
    if fp_is_exp:
        place = place_rule(fp, kind, offset)
        if place and place[0] != "sp":
            fp_kind, fp_offset = place
    elif fp in ("u", "s"):
        fp_kind = "same"
    elif re.match(r"c[+-]\d+$", fp):
        fp_kind, fp_offset = "cfa", int(fp[1:])
    if not -32768 <= fp_offset <= 32767:
        fp_kind, fp_offset = "lost", 0
    if ra == "rdi" and kind == "sp":
        return "ra_reg", offset, fp_kind, fp_offset
    if (place_rule(ra, kind, offset) if ra_is_exp else ra) not in (("cfa", -8), "c-8"):
        return BAD
    return kind, offset, fp_kind, fp_offset


class Table:
    """What CFI_ROWS prints."""

    def __init__(self, tool, path):
        done = subprocess.run([tool, path], capture_output=True, text=True)
        self.error = done.stdout.strip() if done.returncode else ""
        if done.returncode not in (0, 1, 77):
            self.error = f"error {tool} ended with {done.returncode}"
        self.rows = []
        if self.error:
            return
        for line in done.stdout.splitlines():
            address, kind, offset, fp_kind, fp_offset, *bx = line.split(" ")
            self.rows.append((int(address, 16), (kind, int(offset), fp_kind, int(fp_offset),
                                                 *map(int, bx))))
        self.addresses = [row[0] for row in self.rows]

    def between(self, start, end):
        """The rules of rows in there."""
        first, last = (bisect.bisect_left(self.addresses, address) for address in (start, end))
        return [row[1] for row in self.rows[first:last]]

    def at(self, address):
        i = bisect.bisect_right(self.addresses, address)
        return self.rows[i - 1][1] if i else GAP


def plt_fde(name, start, end):
    """What dwell makes of a PLT that nobody describes: what GNU ld would have written."""
    words = {start: "rsp+16", start + 6: "rsp+24", start + 16: "plt"} if name == b".plt" else \
        {start: "rsp+8"}
    rows = [(address, cfa, "u", "c-8", "u") for address, cfa in words.items()]
    return start, end, OWN, False, rows


OBJDUMP_LINE = re.compile(r"^ +([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *(?:\t(.*))?$")
MOVE = re.compile(r"(sub|add) +\$0x([0-9a-f]+),%rsp$")


def rows_of_code(path, start, end):
    """What pushes, pops and sums make of the stack, one instruction after the other; behind a return
    or a jump it is what it was where somebody jumped there from, or a function begins."""
    listing = subprocess.run(["objdump", "-d", f"--start-address={start:#x}",
                              f"--stop-address={end:#x}", path], capture_output=True, text=True,
                             env=dict(os.environ, LC_ALL="C")).stdout
    rows, cfa, saved, targets, has_ended = [], 8, 0, {}, False
    for line in listing.splitlines():
        found = OBJDUMP_LINE.match(line)
        if not found or found[2] is None:
            continue
        address = int(found[1], 16)
        if has_ended:
            cfa, saved = targets.get(address, (8, 0))
        has_ended = False
        rows.append((address, ("sp", cfa, "cfa" if saved else "same", -saved)))
        words = re.sub(r"^(?:(?:bnd|notrack|repz|cs|data16) +)+", "", found[2].split("#")[0].strip())
        move = MOVE.match(words)
        if words.startswith("push"):
            cfa += 8
            saved = saved or (cfa if "%rbp" in words else 0)
        elif words.startswith("pop"):
            saved = 0 if "%rbp" in words else saved
            cfa -= 8
        elif move:
            cfa += int(move[2], 16) * (1 if move[1] == "sub" else -1)
        jump = re.match(r"j\w+ +([0-9a-f]+)\b", words)
        if jump:
            targets.setdefault(int(jump[1], 16), (cfa, saved))
        has_ended = bool(re.match(r"(ret|jmp|int3)", words))
    return rows


class Expected:
    """The table as it should be."""

    def __init__(self, image, frames, table):
        self.image, self.frames, self.table, self.rows, self.memo = image, frames, table, [], {}
        self.last = GAP
        self.starts = {piece[0] for piece in image.pieces}
        frames.fdes += [plt_fde(*plt) for plt in image.plts]
        frames.fdes.sort(key=lambda fde: (fde[0], ORDER[fde[2][0]]))
        fdes = self.cut_fdes()
        for start, end in image.texts:
            self.add_text(start, end, [fde for fde in fdes if start <= fde[0] < end])

    def cut_fdes(self):
        kept = []
        for start, end, *rest in self.frames.fdes:
            text = self.image.text_of(start)
            if not text or end <= start or kept and kept[-1][0] == start:
                continue
            if kept and rest[0] == OWN and kept[-1][1] > start:
                continue
            if kept and kept[-1][1] > start:
                kept[-1][1] = start
            kept.append([start, min(end, text[1]), *rest])
        return kept

    def add(self, address, rule):
        if rule != self.last:
            self.rows.append((address, rule))
        self.last = rule

    def add_gap(self, start, end):
        """Sections of their own in it first: .init, .fini, and what is before or behind _start."""
        for begin, stop in self.image.pieces:
            begin, stop = max(begin, start), min(stop, end)
            if begin < stop and self.is_read(begin, stop):
                if begin > start:
                    self.add_undescribed(start, begin)
                for address, rule in rows_of_code(self.frames.path, begin, stop):
                    self.add(address, rule)
                start = stop
        if start < end:
            self.add_undescribed(start, end)

    def is_read(self, start, end):
        """Does dwell describe the code? Whether rightly is another question."""
        if end - start > READ or end - start < ALIGNED and start not in self.starts:
            return False
        return all(rule[0] == "sp" for rule in [self.table.at(start), *self.table.between(start, end)])

    def add_undescribed(self, start, end):
        kind = GAP if end - start < HOLE else FRAMEPTR
        entry = self.image.entry
        if entry and start <= entry < end:
            if entry > start:
                self.add(start, kind)
            self.add(entry, STOP)
            if end - entry > STUB:
                self.add(entry + STUB, kind)
        elif end - start >= PADDING:
            self.add(start, kind)

    def add_text(self, at, end, fdes):
        for start, fde_end, key, is_signal, rows in fdes:
            if start > at:
                self.add_gap(at, start)
            for i, (address, *words) in enumerate(rows):
                is_last = i + 1 == len(rows) or rows[i + 1][0] > address
                if start <= address < fde_end and is_last:
                    self.add(address, self.rule(address, key, is_signal, words))
            at = fde_end
        if at < end:
            self.add_gap(at, end)
        if end < (self.image.segments and max(s[1] for s in self.image.segments) + PAGE - 1 & -PAGE):
            self.add(end, GAP)

    def rule(self, address, key, is_signal, words):
        has_expression = "exp" in words
        memo_key = (*words, is_signal, key if has_expression else None)
        rules = self.memo.get(memo_key)
        if rules is None:
            rules = self.memo[memo_key] = rules_of(self.frames, key, is_signal, *words)
        if len(rules) == 1:
            return next(iter(rules))
        actual = self.table.at(address)
        return actual if actual in rules else ("one of", sorted(rules))


def differences(expected, actual):
    for i in range(max(len(expected), len(actual))):
        left = expected[i] if i < len(expected) else None
        right = actual[i] if i < len(actual) else None
        if left != right:
            yield left, right


def show(row):
    return f"{row[0]:x} {row[1]}" if row else "nothing"


def compare(tool, path):
    """(rows, raw rows, rules, words about what differs, error of the tool)."""
    image = Image(path)
    if not image.is_ours:
        return None
    table = Table(tool, path)
    frames = Frames(path)
    if table.error:
        has_rows = any(image.text_of(fde[0]) for fde in frames.fdes)
        return 0, frames.raw_rows, set(), [table.error] if has_rows else [], table.error
    expected = Expected(image, frames, table)
    words = []
    if expected.rows != table.rows:
        found = list(differences(expected.rows, table.rows))
        words = [f"{len(found)} rows differ"] + [
            f"readelf {show(left)}, dwell {show(right)}" for left, right in found[:SHOWN]]
    return len(table.rows), frames.raw_rows, {row[1] for row in table.rows}, words, ""


def elf_files(names):
    seen = set()
    for name in names:
        if not os.path.isdir(name):
            yield name
            continue
        for folder, below, files in os.walk(name):
            below.sort()
            for file in sorted(files):
                path = os.path.join(folder, file)
                try:
                    status = os.stat(path)
                    if os.path.islink(path) or (status.st_dev, status.st_ino) in seen:
                        continue
                    with open(path, "rb") as opened:
                        if opened.read(4) != b"\x7fELF":
                            continue
                except OSError:
                    continue
                seen.add((status.st_dev, status.st_ino))
                yield path


def compare_all(tool, names, jobs=1, say=print):
    """Compares files; returns counts: objects, rows, raw_rows, rules, differing, without."""
    total, rules = collections.Counter(), set()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        waiting = [(path, pool.submit(compare, tool, path)) for path in elf_files(names)]
        for path, future in waiting:
            result = future.result()
            if result is None:
                total["not ours"] += 1
                continue
            rows, raw_rows, own_rules, words, error = result
            total.update({"objects": 1, "rows": rows, "raw_rows": raw_rows,
                          "without": int(bool(error)), "differing": int(bool(words))})
            rules |= own_rules
            if words:
                say(f"{path}: " + "; ".join(words))
    total["rules"] = len(rules)
    return total


def main():
    parser = argparse.ArgumentParser(description="compare unwind tables with readelf's")
    parser.add_argument("-j", type=int, default=os.cpu_count(), dest="jobs")
    parser.add_argument("tool")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    total = compare_all(options.tool, options.names, options.jobs,
                        lambda line: print(line, flush=True))
    print(", ".join(f"{total[key]} {key}" for key in
                    ("objects", "rows", "raw_rows", "rules", "without", "not ours", "differing")))
    return 1 if total["differing"] else 0


if __name__ == "__main__":
    sys.exit(main())
