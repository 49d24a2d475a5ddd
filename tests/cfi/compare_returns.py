#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the places at which functions are left with what objdump says of their code.

usage: compare_returns.py PROGRAM FILE...     PROGRAM is build/plain/tests/cfi/returns

A function is left by each ret in it and by each jump to elsewhere, or to its beginning, but for the one behind a call of
Go's runtime.morestack(). What it jumps to is a part of it if its symbol says so (NAME.cold), or if no symbol covers it and
the call frame information has a range there that is jumped into behind its beginning, or that jumps back into the function.
A jump to a function of the file that is understood, up to four in a row, is none: that one's places are.
Exits 1 if any place is missing, is none, or is not emulated, by another condition, or of another function than is claimed.
"""
import bisect
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?((?:(?:bnd|notrack|data16|cs|ds|repz) )*)(\S*) *(.*)$")
JUMP = re.compile(r"^j[a-z]+(?:,p[nt])?$")
MOST, MOST_JUMPS, MOST_FUNCTIONS = 256, 4, 64


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
    found = []
    for line in subprocess.run(["readelf", "-wF", path], text=True, errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.splitlines():
        match = re.search(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        if match:
            found.append((int(match[1], 16), int(match[2], 16), ""))
    return Ranges(found)


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
        self.found, self.order = {}, []
        process = subprocess.Popen(["objdump", "-dw", path], text=True, errors="replace", stdout=subprocess.PIPE)
        for line in process.stdout:
            match = LINE.match(line.rstrip("\n"))
            if match:
                address = int(match[1], 16)
                self.found[address] = (bytes.fromhex(match[2]), match[4], match[5])
                self.order.append(address)
        self.ranges, self.symbols, self.known = described(path), symbols(path), {}

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
        """Address: (emulated, condition, target, fit for a probe). And whether it may jump to what is not seen."""
        if (begin, end) not in self.known:
            self.known[begin, end] = self.look_for_ways(begin, end)
        return self.known[begin, end]

    def look_for_ways(self, begin, end):
        parts, found, may_vanish = [(begin, end)], {}, False
        for part in parts:
            has_grown, before = False, ""
            for address, text, word, operands in self.within(*part):
                target = self.target(word, operands)
                comes_again = has_grown and target == begin
                has_grown = "<runtime.morestack" in operands or has_grown and target is None
                if word in ("ret", "retq"):
                    found[address] = (0, 16, None, True)
                elif word == "jmp" and operands.startswith("*"):
                    if "(%rip)" in operands:
                        found[address] = (0, 16, None, True)
                    elif not re.search(r",%r..?,", operands) and not ("(" not in operands and before == "add"):
                        may_vanish = True
                elif target is not None:
                    inside = any(first <= target < last for first, last in parts)
                    further = None if inside else self.cold_part(begin, end, target)
                    if further:
                        parts.append(further)
                    elif not inside or (target == begin and not comes_again):
                        found[address] = self.jump(word, text, target)
                before = word if re.fullmatch(r"%r..?,%r..?", operands) else ""
        return found, may_vanish

    def behind(self, target):
        """The function that covers a place, if it is an instruction."""
        symbol = self.symbols.at(target)
        if not symbol and self.is_stub(target):
            return None
        found = symbol or self.ranges.at(target)
        return found[:2] if found and target in self.found and found[0] in self.found else None

    def places(self, begin, end):
        """Address: (emulated, condition, of another function)."""
        functions, found = [(begin, end, 0)], {}
        count = len(self.ways(begin, end)[0])
        for first, last, jumps in functions:
            for address, (emulated, condition, target, _) in self.ways(first, last)[0].items():
                behind = target is not None and target != begin and self.behind(target)
                if behind and behind in [function[:2] for function in functions]:
                    continue
                ways, may_vanish = self.ways(*behind) if behind else ({}, True)
                if (may_vanish or jumps == MOST_JUMPS or len(functions) == MOST_FUNCTIONS or count + len(ways) > MOST or
                        not all(fit for _, _, _, fit in ways.values())):
                    is_other = int(jumps > 0) & found.get(address, (0, 0, 1))[2]
                    found[address] = (emulated, condition, is_other)
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
        return int(at == 0), 16 if opcode in (0xe9, 0xeb) else opcode & 15, target, is_fit


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
