#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the lengths of instructions with those that objdump finds in all code of files.

usage: compare_lengths.py PROGRAM FILE...     PROGRAM is build/plain/tests/cfi/lengths

What is unknown is counted and named, apart from what no call frame information describes: tables of
numbers amid code. objdump tells of fwait and what is behind it as one instruction, and
of prefixes that do nothing as instructions of their own: a length that ends where such a row of lines
does is right. Exits 1 if any other is wrong.
"""
import bisect
import collections
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *(?:\t *(.*))?$")
ALONE = re.compile(r"^(?:rex(?:\.[WRXB]+)?|data16|addr32|repz|repnz|lock|bnd|notrack|[cdefgs]s|xacquire|xrelease|\s)+$")

FWAIT = 0x9b


def segments(path):
    found = []
    for line in subprocess.run(["readelf", "-lW", path], text=True, stdout=subprocess.PIPE).stdout.splitlines():
        words = line.split()
        if words and words[0] == "LOAD" and "E" in line[60:]:
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    return found


def functions(path):
    """Where those begin and end that the call frame information describes, sorted."""
    found = []
    for line in subprocess.run(["readelf", "-wF", path], text=True, errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.splitlines():
        match = re.search(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        if match:
            found.append((int(match[1], 16), int(match[2], 16)))
    return sorted(found)


def instructions(path):
    found = []
    process = subprocess.Popen(["objdump", "-dw", path], text=True, errors="replace", stdout=subprocess.PIPE)
    for line in process.stdout:
        match = LINE.match(line.rstrip("\n"))
        if match:
            found.append((int(match[1], 16), bytes.fromhex(match[2]), (match[3] or "").strip()))
    return found


def compare(program, path):
    loads = segments(path)
    found = instructions(path)
    described = functions(path)

    def is_described(address):
        at = bisect.bisect(described, (address, 2 ** 64)) - 1
        return at >= 0 and address < described[at][1]

    def offset_of(address):
        for start, virtual, count in loads:
            if virtual <= address < virtual + count:
                return address - virtual + start
        return 2 ** 63

    asked = "".join(f"{offset_of(address):x}\n" for address, _, _ in found)
    lengths = subprocess.run([program, path], input=asked, text=True, stdout=subprocess.PIPE, check=True).stdout.split()
    assert len(lengths) == len(found), (len(lengths), len(found))
    wrong, data, bad = 0, 0, 0
    unknown = collections.Counter()
    for i, ((address, code, words), length) in enumerate(zip(found, map(int, lengths))):
        if "(bad)" in words or not words or words.startswith(".byte"):
            bad += 1
            continue
        if length == len(code):
            continue
        if not length and not is_described(address):
            data += 1
            continue
        if not length:
            unknown[words.split()[0] + " " + code[:4].hex()] += 1
            continue
        if code[0] == FWAIT and length == 1:
            continue
        total, last = len(code), i
        while ALONE.match(found[last][2]) and last + 1 < len(found):
            last += 1
            total += 1 if found[last][1][0] == FWAIT else len(found[last][1])
        if last > i and length == total:
            continue
        wrong += 1
        if wrong <= 20:
            print(f"{path}: {address:x}: {code.hex(' ')} is {words}, of {len(code)} bytes, not {length}")
    print(f"{path}: {len(found)} instructions, {wrong} wrong, {sum(unknown.values())} unknown in functions, "
          f"{data} elsewhere, {bad} are none for objdump")
    for what, count in unknown.most_common(8):
        print(f"    unknown {count} times: {what}")
    return wrong


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return 1 if sum(compare(arguments[0], path) for path in arguments[1:]) else 0


sys.exit(main(sys.argv[1:]))
