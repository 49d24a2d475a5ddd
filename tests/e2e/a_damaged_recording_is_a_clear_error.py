# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording with damaged bytes is read or refused with one line, never a crash, and never
written to."""
import random
from lib import *

recording = record("--slice", "100ms", command=[workload("pingpong"), "400"])
with open(recording.path, "rb") as file:
    whole = file.read()
check(len(whole) > 8192, "a recording has a few pages")


def try_reading(data):
    with open("damaged.dwell", "wb") as file:
        file.write(data)
    for args in (("report", "damaged.dwell"), ("flame", "-f", "damaged.dwell"),
                 ("html", "damaged.dwell", "-o", "-")):
        result = dwell(*args, status=None)
        check(result.returncode in (0, 1, 2), f"{args}: status {result.returncode}")
        if result.returncode:
            check_one_line_error(result)
    with open("damaged.dwell", "rb") as file:
        check(file.read() == data, "the damaged file was changed")
    return result.returncode


for length in (1, 100, 4096, len(whole) // 2, len(whole) - 4096):
    check(try_reading(whole[:length]) == 2, f"cut to {length} bytes, it was read")
check(try_reading(b"\0" * 4096 + whole[4096:]) == 2, "without its head, it was read")
check(try_reading(whole[:4096] + b"\xff" * (len(whole) - 4096)) == 2, "all 0xff, it was read")

chance = random.Random(1)
for _ in range(60):
    data = bytearray(whole)
    for _ in range(chance.choice((1, 8, 64))):
        data[chance.randrange(100, len(data))] = chance.randrange(256)
    try_reading(bytes(data))
