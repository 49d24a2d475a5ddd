# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside gdb, on a process that has stopped: writes one thread's registers, its mappings, the
stack that gdb sees and the words from its stack pointer to the root, as JSON."""
import json
import os
import struct

import gdb
import gdb.unwinder

REGISTERS = {"pc": "rip", "sp": "rsp", "fp": "rbp", "rdi": "rdi", "rbx": "rbx"}
WORD = 8


def number(value):
    return int(value) & (1 << 64) - 1


def executable_mappings(pid):
    """[(start, end, offset, path)]"""
    found = []
    with open(f"/proc/{pid}/maps") as file:
        for line in file:
            fields = line.rstrip("\n").split(None, 5)
            if "x" in fields[1] and fields[-1] != "[vsyscall]":
                start, end = (int(part, 16) for part in fields[0].split("-"))
                found.append((start, end, int(fields[2], 16), fields[5] if len(fields) > 5 else ""))
    return found


class Id:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class ByFramePointer(gdb.unwinder.Unwinder):
    """Code that a program makes while it runs is in no table, so gdb would guess; node's keeps
    frame pointers, by design, as do the built-in functions that it was born with."""

    def __init__(self, mappings):
        super().__init__("by frame pointer")
        self.generated = [(start, end) for start, end, _, path in mappings if not path]

    def is_generated(self, pc):
        if any(start <= pc < end for start, end in self.generated):
            return True
        return gdb.execute(f"info symbol {pc - 1:#x}", to_string=True).startswith("Builtins_")

    def __call__(self, pending):
        pc, fp = (number(pending.read_register(name)) for name in ("rip", "rbp"))
        if not self.is_generated(pc):
            return None
        info = pending.create_unwind_info(Id(gdb.Value(fp + 2 * WORD), gdb.Value(pc)))
        word = gdb.lookup_type("unsigned long")
        for name, value in (("rbp", f"*(unsigned long *) {fp:#x}"),
                            ("rip", f"*(unsigned long *) {fp + WORD:#x}"),
                            ("rsp", f"{fp + 2 * WORD:#x}")):
            info.add_saved_register(name, gdb.parse_and_eval(value).cast(word))
        return info


def frames_of(frame):
    """[(pc, is it exact)], leaf first, and the root's stack pointer. Inlined functions and calls
    that became jumps have no frame of their own."""
    found, is_exact = [], True
    while frame:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            found.append((number(frame.pc()), is_exact))
            is_exact = frame.type() == gdb.SIGTRAMP_FRAME
            sp = number(frame.read_register("rsp"))
        if frame.older() is None and frame.unwind_stop_reason() not in (
                gdb.FRAME_UNWIND_OUTERMOST, gdb.FRAME_UNWIND_NO_REASON):
            reason = gdb.frame_stop_reason_string(frame.unwind_stop_reason())
            raise gdb.GdbError(f"gdb does not come to the root: {reason}")
        frame = frame.older()
    return found, sp


def main():
    inferior = gdb.selected_inferior()
    mappings = executable_mappings(inferior.pid)
    if os.environ.get("WALK_GENERATED"):
        gdb.unwinder.register_unwinder(None, ByFramePointer(mappings), replace=True)
        gdb.invalidate_cached_frames()
    threads = sorted(inferior.threads(), key=lambda thread: thread.num)
    threads[int(os.environ["WALK_THREAD"])].switch()
    leaf = gdb.newest_frame()
    registers = {name: number(leaf.read_register(real)) for name, real in REGISTERS.items()}
    frames, root_sp = frames_of(leaf)
    count = (root_sp - registers["sp"]) // WORD
    memory = inferior.read_memory(registers["sp"], count * WORD).tobytes()
    with open(os.environ["WALK_OUT"], "w") as out:
        json.dump({"registers": registers, "frames": frames, "mappings": mappings,
                   "pid": inferior.pid, "stack": struct.unpack(f"<{count}Q", memory)}, out)


main()
