#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the places at which functions are left with what objdump says of their code.

usage: compare_returns.py PROGRAM FILE...     PROGRAM is build/plain/tests/cfi/returns

A function is left by each ret in it and by each jump to elsewhere, or to its beginning, but for the one behind a call of
Go's runtime.morestack(). What it jumps to is a part of it if its symbol says so (NAME.cold), or if no symbol covers it and
the call frame information has a range there that is jumped into behind its beginning, or that jumps back into the function.
A jump to a function of the file that is understood, up to four in a row, is none: that one's places are.
A jump through a register or memory is one if it looks for no table and stands behind what gives the frame back, or where all
code is come to without it. What is come to in no way is none, if there are no such jumps left and the unwinder has no
business there.
Exits 1 if any place is missing, is none, or is not emulated, by another condition, of another function or less sure than
is claimed.
"""
import bisect
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?((?:(?:bnd|notrack|data16|cs|ds|repz) )*)(\S*) *(.*)$")
JUMP = re.compile(r"^j[a-z]+(?:,p[nt])?$")
MOST, MOST_JUMPS, MOST_FUNCTIONS = 256, 4, 64


def full(register):
    """Of a part of a register: eax, r8d."""
    return re.sub(r"^(r\d+)[dwb]$", r"\1", re.sub(r"^e(..)$", r"r\1", register))


def segments(path):
    found = []
    for line in subprocess.run(["readelf", "-lW", path], text=True, stdout=subprocess.PIPE).stdout.splitlines():
        words = line.split()
        if words and words[0] == "LOAD" and "E" in line[60:]:
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    return found


class Ranges:
    """Sorted (begin, end, name)."""
    def __init__(self, found):
        self.found = sorted(found)

    def at(self, address):
        at = bisect.bisect(self.found, (address, 2 ** 64)) - 1
        return self.found[at] if at >= 0 and address < self.found[at][1] else None


def described(path):
    """All ranges, and those that have an unwinder of their own."""
    found, catching, personal = [], [], {}
    for line in subprocess.run(["readelf", "-wF", path], text=True, errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) .* CIE \"(.*?)\"", line)
        if match:
            personal[int(match[1], 16)] = "P" in match[2]
        match = re.search(r" FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        if match:
            found.append((int(match[2], 16), int(match[3], 16), ""))
            if personal.get(int(match[1], 16)):
                catching.append(found[-1])
    return Ranges(found), Ranges(catching)


def symbols(path):
    found = []
    for table in ("--symbols", "--dyn-syms"):
        for line in subprocess.run(["readelf", "-W", table, path], text=True, errors="replace",
                                   stdout=subprocess.PIPE).stdout.splitlines():
            words = line.split()
            if len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and words[6] != "UND" and int(words[2], 0):
                found.append((int(words[1], 16), int(words[1], 16) + int(words[2], 0), words[7]))
    return Ranges(found)


class Code:
    def __init__(self, path):
        self.found, self.order, self.marked, self.cut = {}, [], set(), set()
        process = subprocess.Popen(["objdump", "-dw", path], text=True, errors="replace", stdout=subprocess.PIPE)
        for line in process.stdout:
            match = LINE.match(line.rstrip("\n"))
            if match:
                address = int(match[1], 16)
                self.found[address] = (bytes.fromhex(match[2]), match[4], match[5])
                if "notrack" in match[3]:
                    self.marked.add(address)
                self.order.append(address)
        self.ranges, self.catching = described(path)
        self.symbols, self.known = symbols(path), {}

    def within(self, begin, end):
        for address in self.order[bisect.bisect_left(self.order, begin):bisect.bisect_left(self.order, end)]:
            yield address, *self.found[address]

    def is_stub(self, address):
        for at, _, word, operands in self.within(address, address + 16):
            if word != "endbr64":
                return word == "jmp" and operands.startswith("*") and "(%rip)" in operands
        return False

    def target(self, word, operands):
        match = re.match(r"^([0-9a-f]+)\b", operands) if JUMP.match(word) else None
        return int(match[1], 16) if match else None

    def cold_part(self, begin, end, target):
        symbol = self.symbols.at(target)
        if symbol:
            return symbol[:2] if re.search(r".\.cold(\.|$)", symbol[2]) else None
        part = None if self.is_stub(target) else self.ranges.at(target)
        if not part or begin < part[1] and part[0] < end:
            return None
        for _, _, word, operands in self.within(part[0], part[1]):
            if part[0] != target or begin < (self.target(word, operands) or 0) < end:
                return part[:2]
        return None

    def ways(self, begin, end):
        """Address: (emulated, condition, target, fit for a probe, not sure). And whether it may jump to what is not seen."""
        if (begin, end) not in self.known:
            self.known[begin, end] = self.look_for_ways(begin, end)
        return self.known[begin, end]

    def look_for_ways(self, begin, end):
        parts, found, pointed, grows = [(begin, end)], {}, {}, False
        for part in parts:
            has_grown, before = False, []
            for address, text, word, operands in self.within(*part):
                target = self.target(word, operands)
                comes_again = has_grown and target == begin
                has_grown = "<runtime.morestack" in operands or has_grown and target is None
                grows |= comes_again
                if word in ("ret", "retq"):
                    found[address] = (0, 16, None, True, 0)
                elif word == "jmp" and operands.startswith("*"):
                    if "(%rip)" in operands:
                        found[address] = (0, 16, None, True, 0)
                    else:
                        pointed[address] = self.look(address, operands, before)
                elif target is not None:
                    inside = any(first <= target < last for first, last in parts)
                    further = None if inside else self.cold_part(begin, end, target)
                    if further:
                        parts.append(further)
                    elif not inside or (target == begin and not comes_again):
                        found[address] = self.jump(word, text, target)
                is_plain = target is None and word not in ("ret", "retq", "jmp") and not (word == "call" and "*" not in operands)
                before = [(word, operands), *before[:7]] if is_plain else []
        return self.settle(parts, found, pointed, grows)

    def settle(self, parts, found, pointed, grows):
        reached, has_tables, has_unseen = self.reached(parts), False, False
        is_all = all(address in reached or self.is_filler(text, word) for part in parts
                     for address, text, word, _ in self.within(*part))
        for address, look in pointed.items():
            if look == "last" or look == "plain" and is_all:
                found[address] = (0, 16, None, True, 1)
            else:
                has_tables, has_unseen = True, has_unseen or look == "plain"
        if not is_all and not has_tables and not grows and not any(self.catching.at(first) for first, _ in parts):
            kept = {address: way for address, way in found.items() if address in reached}
            self.cut |= {parts[0]} if len(kept) < len(found) else set()
            found = kept
        return found, has_unseen

    def look(self, address, operands, before):
        """Does a jump through a register or memory look like a switch, like a last call, or like neither?"""
        if address in self.marked:
            return "switch"
        is_table, is_raised, wanted = bool(re.search(r",%\w+", operands)), False, re.search(r"%(\w+)", operands)
        for word, others in before if wanted and not is_table else []:
            source, _, target = others.split(" ")[0].rpartition(",")
            is_sum = word in ("add", "addq", "movslq", "movsxd") and not source.startswith("$")
            if full(target[1:]) == full(wanted[1]) and (is_sum or word in ("mov", "movl", "movq", "lea")):
                is_table = is_sum or bool(re.search(r",%\w+", source))
                break
        for at, (word, others) in enumerate(before):
            if word in ("leave", "leaveq"):
                return "last"
            pushed = at + 1 < len(before) and before[at + 1][0].startswith("push")
            if word == "pop" and others in ("%rbx", "%rbp", "%r12", "%r13", "%r14", "%r15") and not pushed:
                return "last"
            if word.startswith("push"):
                break
            is_raised |= bool(word == "add" and re.match(r"\$.*,%rsp$", others) or word == "lea" and others.endswith(",%rsp"))
        return "switch" if is_table else "last" if is_raised else "plain"

    def reached(self, parts):
        found, starts = set(), [parts[0][0]]
        while starts:
            at = starts.pop()
            while at not in found and at in self.found and any(first <= at < last for first, last in parts):
                found.add(at)
                text, word, operands = self.found[at]
                target = self.target(word, operands)
                if word == "call":
                    match = re.match(r"^([0-9a-f]+)\b", operands)
                    target = int(match[1], 16) if match else None
                if target is not None:
                    starts.append(target)
                if word in ("ret", "retq", "jmp", "iretq", "lret"):
                    break
                at += len(text)
        return found

    @staticmethod
    def is_filler(text, word):
        return word in ("nop", "nopw", "nopl", "int3", "data16") or text[-1:] == b"\x90" and word.startswith("xchg")

    def behind(self, target):
        """The function that covers a place, if it is an instruction."""
        symbol = self.symbols.at(target)
        if not symbol and self.is_stub(target):
            return None
        found = symbol or self.ranges.at(target)
        if not found or target not in self.found or found[0] not in self.found:
            return None
        self.ways(*found[:2])
        return None if target != found[0] and found[:2] in self.cut else found[:2]

    def places(self, begin, end):
        """Address: (emulated, condition, of another function, not sure)."""
        functions, found = [(begin, end, 0)], {}
        count = len(self.ways(begin, end)[0])
        for first, last, jumps in functions:
            for address, (emulated, condition, target, _, stays) in self.ways(first, last)[0].items():
                behind = target is not None and target != begin and self.behind(target)
                if behind and behind in [function[:2] for function in functions]:
                    continue
                ways, may_vanish = self.ways(*behind) if behind else ({}, True)
                if (may_vanish or jumps == MOST_JUMPS or len(functions) == MOST_FUNCTIONS or count + len(ways) > MOST or
                        not all(fit for _, _, _, fit, _ in ways.values())):
                    is_other = int(jumps > 0) & found.get(address, (0, 0, 1))[2]
                    found[address] = (emulated, condition, is_other, stays)
                    continue
                functions.append((*behind, jumps + 1))
                count += len(ways)
        return found

    @staticmethod
    def jump(word, text, target):
        at = next(i for i, byte in enumerate(text) if byte not in (0x2e, 0x3e, 0xf2, 0x66))
        opcode = text[at + 1] if text[at] == 0x0f else text[at]
        is_fit = (not {0x2e, 0x3e} & set(text[:at]) and not word.startswith(("loop", "jrcxz", "jecxz")) and
                  text != b"\xe9\0\0\0\0")  # the next instruction: for the kernel a nop
        return int(at == 0), 16 if opcode in (0xe9, 0xeb) else opcode & 15, target, is_fit, 0


def told(program, path):
    loads = segments(path)

    def address_of(text):
        offset = int(text, 16)
        return next((offset - start + virtual for start, virtual, count in loads if start <= offset < start + count), -1)

    found = []
    for line in subprocess.run([program, path], text=True, errors="replace", check=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.splitlines():
        words = line.split()
        if line.startswith(" "):
            found[-1][4][address_of(words[0])] = tuple(map(int, words[1:]))
        else:
            found.append((address_of(words[0]), int(words[1], 16), int(words[2]), words[4] if words[4:] else "", {}))
    return found


def compare(program, path):
    code, wrong, refused, count = Code(path), 0, 0, 0
    functions = told(program, path)
    for begin, length, error, name, places in functions:
        expected = code.places(begin, begin + length)
        if error:
            refused += len(expected) <= MOST
            continue
        count += len(places)
        if places != expected:
            wrong += 1
            print(f"{path}: {name} at {begin:x}, {length} bytes: " + ", ".join(
                f"{at:x} is {places.get(at)}, not {expected.get(at)}"
                for at in sorted(places.keys() | expected.keys()) if places.get(at) != expected.get(at))[:1000])
    print(f"{path}: {len(functions)} functions, {count} places, {wrong} wrong, {refused} refused")
    return wrong


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return 1 if sum(compare(arguments[0], path) for path in arguments[1:]) else 0


sys.exit(main(sys.argv[1:]))
