# SPDX-License-Identifier: GPL-2.0-or-later
"""--from and --to cut a view along slices: the parts add up to the whole, and a nap has its
share of each part."""
from lib import *

SPANS = (("--to", "300ms"), ("--from", "300ms", "--to", "700ms"), ("--from", "700ms"))

background(workload("pingpong"), 10**9)
recording = record("-a", "--slice", "100ms", command=[workload("sleeper"), "1", "1000"])
for view in ("offcpu", "oncpu", "runq", "hotcold"):
    whole = sum(recording.folded(view).values())
    parts = [sum(recording.folded(view, *span).values()) for span in SPANS]
    # Running time in a part is samples of the part, scaled; the rest is exact.
    allowed = 0.01 * whole if view in ("oncpu", "hotcold") else 0
    check(abs(sum(parts) - whole) <= allowed, f"{view}: {parts} are not {whole}")
# Another case's sleeper may nap beside it.
root = f"sleeper-0-{recording.log['pid']}/{recording.log['threads'][0]['tid']}"
nap = weight(recording.folded("offcpu", "--by", "thread", *SPANS[1]), "take_nap", root=root)
check(nap == 400 * MS, f"the nap has {nap} ns of these 400 ms")
