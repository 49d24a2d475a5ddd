# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each kernel has its own verifier
# timeout: 300
"""Each program takes the verifier far fewer steps than the million at which it gives up: a change
that makes it follow both ways of some branch in a loop shows here long before a kernel refuses."""
import ctypes
import struct

from lib import *

SYS_BPF = 321
BPF_PROG_GET_FD_BY_ID = 13
BPF_OBJ_GET_INFO_BY_FD = 15
# struct bpf_prog_info of linux/bpf.h.
INFO_BYTES, NAME_AT, STEPS_AT = 224, 64, 216
# About 31,000 for on_switch on 6.18 when this was written.
LIMIT = 150_000

if os.uname().machine != "x86_64":
    skip("knows the number of bpf() on x86-64 only", is_optional=True)
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, 128)
    result = libc.syscall(SYS_BPF, command, buffer, 128)
    check(result >= 0, f"bpf({command}): {os.strerror(ctypes.get_errno())}")
    return result


def steps_of(program):
    """(name, instructions that the verifier looked at)"""
    fd = bpf(BPF_PROG_GET_FD_BY_ID, struct.pack("I", program))
    info = ctypes.create_string_buffer(INFO_BYTES)
    bpf(BPF_OBJ_GET_INFO_BY_FD, struct.pack("IIQ", fd, INFO_BYTES, ctypes.addressof(info)))
    os.close(fd)
    name = info.raw[NAME_AT:NAME_AT + 16].split(b"\0")[0].decode()
    return name, struct.unpack_from("I", info.raw, STEPS_AT)[0]


recorder = Recorder("-a", "-d", "30")
steps = dict(map(steps_of, programs_of(recorder.pid)))
recorder.stop()
print("  ".join(f"{name} {number}" for name, number in sorted(steps.items())), flush=True)
check({"on_switch", "on_waking", "on_sample", "on_sleepers"} <= set(steps), f"programs: {steps}")
check(0 < min(steps.values()), f"this kernel does not tell: {steps}")
check(max(steps.values()) < LIMIT, f"more than {LIMIT}: {steps}")
