#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the places at which functions would be probed with what objdump says of their code.

usage: compare_probes.py PROGRAM FILE...     PROGRAM is build/plain/tests/cfi/probe_places

Of each function: the place is where an instruction begins; what is before it computes with
registers or loads; what is there is emulated exactly if that is claimed; and no jump of the file leads between
beginning and place, nor to the place; it is no nop of five bytes. Functions of Go are probed exactly behind the check of
their stack, if what it jumps to calls the
runtime and jumps back to the beginning. Prints the shares, and exits 1 if anything is wrong.
"""
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?(?:(?:bnd|notrack|data16|cs) )*(\S*) *(.*)$")
JUMP = re.compile(r"^(?:j[a-z]+|loopn?e?)(?:,p[nt])?$")
PLAIN = re.compile(r"^(?:mov|movs?[bwl]?[lqwx]?|movz[bwl]?[lqw]?|movs[bwl]+[lq]?|movabs|test|cmp|xor|and|or|add|sub|adc|sbb|lea|"
                   r"inc|dec|neg|not|shl|shr|sar|rol|ror|rcl|rcr|cmov[a-z]+|set[a-z]+|xorps|xorpd|pxor|mov[au]p[sd]|movs[sd]|"
                   r"movdq[au]|nop|xchg)[bwlq]?$")
CHECK = re.compile(r"^(?:mov %fs:0xf+8,%r14|lea -0x[0-9a-f]+\(%rsp\),%r12|mov %rsp,%r12|sub \$0x[0-9a-f]+,%r12|"
                   r"cmp 0x1[08]\(%r14\),%(?:rsp|r12)|jbe? .*)$")
REGISTERS = {"di": 1, "si": 2, "dx": 4, "cx": 8, "r8": 16, "r9": 32}


def is_emulated(code, word):
    text = code.split()
    if len(text) == 1 and 0x50 <= int(text[0], 16) <= 0x57:
        return True
    if len(text) == 2 and text[0] == "41" and 0x50 <= int(text[1], 16) <= 0x57:
        return True
    if word == "nop" or word.startswith("nop"):
        return len(text) <= 8
    first = int(text[0], 16)
    return first in (0xe8, 0xe9, 0xeb) or 0x70 <= first <= 0x7f or (first == 0x0f and 0x80 <= int(text[1], 16) <= 0x8f)


def segments(path):
    found = []
    for line in subprocess.run(["readelf", "-lW", path], text=True, stdout=subprocess.PIPE).stdout.splitlines():
        words = line.split()
        if words and words[0] == "LOAD" and "E" in line[60:]:
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    return found


def disassemble(path):
    """By address: bytes, word, operands; and the targets of all jumps."""
    code, targets = {}, {}
    process = subprocess.Popen(["objdump", "-dw", path], text=True, stdout=subprocess.PIPE)
    for line in process.stdout:
        found = LINE.match(line.rstrip("\n"))
        if not found:
            continue
        address, text, word, operands = int(found[1], 16), found[2].strip(), found[3], found[4].split("#")[0].strip()
        code[address] = (text, word, operands)
        if JUMP.match(word) and re.match(r"^[0-9a-f]+", operands):
            targets.setdefault(int(operands.split()[0], 16), []).append(address)
    return code, targets


def steps(code, at):
    while at in code:
        text, word, operands = code[at]
        yield at, word, operands
        at += len(text.split())


def behind_check(code, begin):
    """Where the check of a stack ends; None: there is none that comes back to the beginning."""
    for at, word, operands in steps(code, begin):
        if not CHECK.match(f"{word} {operands}"):
            return None
        if word == "jbe":
            behind, runtime = at + len(code[at][0].split()), int(operands.split()[0], 16)
            break
    else:
        return None
    has_called = False
    for at, word, operands in steps(code, runtime):
        if word.startswith("j"):
            return behind if has_called and word == "jmp" and int(operands.split()[0], 16) == begin else None
        has_called |= word == "call"
    return None


def compare(program, path, mask, code, targets):
    loads = segments(path)

    def address_of(offset):
        for start, virtual, count in loads:
            if start <= offset < start + count:
                return offset - start + virtual
        return None

    lines = subprocess.run([program, path, hex(mask)], text=True, errors="replace",
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    wrong = total = as_is = skipping = checked = 0
    seen = set()
    for line in lines:
        begin, place, emulated, _, name = line.split(" ", 4)
        begin, place = address_of(int(begin, 16)), address_of(int(place, 16))
        if begin in seen or begin not in code:
            continue
        seen.add(begin)
        total += 1
        complaint = None
        if place not in code:
            complaint = "no instruction begins there"
        elif code[place][1].startswith("nop") and len(code[place][0].split()) == 5:
            complaint = "a nop of five bytes is there"
        elif is_emulated(*code[place][:2]) != (emulated == "1"):
            complaint = f"emulated: {emulated}, but it is {code[place]}"
        at = behind_check(code, begin) or begin
        checked += at != begin
        if at > place or (at != begin and at in targets):
            complaint = complaint or f"the stack's check ends at {at:x}"
        while not complaint and at < place:
            text, word, operands = code[at]
            if not (at == begin and word == "endbr64") and not PLAIN.match(word):
                complaint = f"skips {word} {operands}"
            if "sp" in operands or (operands.endswith(")") and not word.startswith(("lea", "test", "cmp"))):
                complaint = f"skips {word} {operands}"
            if not word.startswith(("test", "cmp")) and "," in operands or word in ("neg", "not", "inc", "dec"):
                target = operands.rsplit(",", 1)[-1].strip().lstrip("%").split(" ")[0]
                target = re.sub(r"^[re](?=[a-ds])", "", re.sub(r"[dwb]$", "", target) if target.startswith("r") and
                                target[1:2].isdigit() else target)
                target = {"dil": "di", "sil": "si", "dl": "dx", "dh": "dx", "cl": "cx", "ch": "cx"}.get(target, target)
                if REGISTERS.get(target, 0) & mask or target in ("bp", "bpl"):
                    complaint = f"skips {word} {operands}"
            at += len(text.split())
            if at in targets and not complaint:
                complaint = f"{targets[at][0]:x} jumps to {at:x}"
        if complaint:
            wrong += 1
            print(f"{path} {mask:#x}: {name} at {begin:x}, place {place:x}: {complaint}")
        as_is += emulated == "1" and place == begin
        skipping += emulated == "1" and place != begin
    if total:
        print(f"{path}, needed {mask:#x}: {total} functions, {100 * as_is / total:.1f} % emulated as they are, "
              f"{100 * skipping / total:.1f} % by skipping, {checked} behind a check, {wrong} wrong")
    return wrong


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    wrong = 0
    for path in arguments[1:]:
        code, targets = disassemble(path)
        for mask in (0, 1, 0x3f):
            wrong += compare(arguments[0], path, mask, code, targets)
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
