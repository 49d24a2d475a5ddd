# SPDX-License-Identifier: GPL-2.0-or-later
"""A program of 32 bits is recorded as any other: its time is conserved, its waits have their kernel
stacks, its user stacks say that they end because of it, and its frames why they have no names."""
from lib import *

SOURCE = """
.globl _start, take_nap, outer
.text
take_nap:
    push %ebp
    mov %esp, %ebp
    mov $162, %eax          # nanosleep
    mov $time, %ebx
    xor %ecx, %ecx
    int $0x80
    pop %ebp
    ret
.size take_nap, .-take_nap
.type take_nap, @function
outer:
    push %ebp
    mov %esp, %ebp
    call take_nap
    pop %ebp
    ret
.size outer, .-outer
.type outer, @function
_start:
    mov $20, %esi
1:  call outer
    dec %esi
    jnz 1b
    mov $1, %eax            # exit
    xor %ebx, %ebx
    int $0x80
.data
time: .long 0, 50000000
"""

for tool in ("as", "ld"):
    need_tool(tool)
with open("nap.s", "w") as file:
    file.write(SOURCE)
run("as", "--32", "-o", "nap.o", "nap.s")
run("ld", "-m", "elf_i386", "-o", "nap32", "nap.o")
try:
    run("./nap32")
except OSError:
    skip("this kernel runs no programs of 32 bits", is_optional=True)

for way in ("table", "fp"):
    recording = record("--user-stacks", way, command=["./nap32"])
    check_books(recording)
    thread, = recording.named("nap32")
    check_slept(f"blocked, {way}", thread["blocked_ns"], S, rel=0.2)
    stacks = recording.folded("offcpu")
    check(weight(stacks, "hrtimer_nanosleep", root="nap32") > 0.8 * S, f"{way}: {list(stacks)[:5]}")
    frames = recording.rows(
        "SELECT name, word FROM frames JOIN objects ON objects.id = frames.object JOIN words ON "
        "words.kind = 'name_reason' AND number = reason WHERE path LIKE '%/nap32'")
    check(frames, f"{way}: no frame of it")
    check(all(name or "64 bits" in word for name, word in frames), f"{way}: {frames}")
    if way == "table":
        check(weight(stacks, "[32-bit code]", root="nap32") > 0.8 * S, f"{list(stacks)[:5]}")
