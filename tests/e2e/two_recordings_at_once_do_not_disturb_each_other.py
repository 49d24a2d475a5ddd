# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""Two recordings of the whole machine at the same time are both exact, and neither shows the
tracer's frames, of which there are more when two share a tracepoint."""
from lib import *

background(workload("pingpong"), 10**9)
recorders = [Recorder("-a", "-d", "1", path=f"{number}.dwell") for number in range(2)]
for recorder in recorders:
    recording = recorder.wait()
    check_books(recording)
    for stack in recording.folded("offcpu", "-n", "p?ng"):
        check(not any(map(is_tracer_frame, stack)), ";".join(stack))
    check(weight(recording.folded("offcpu"), "pipe_read", root="ping") > 0, "the pipe is missing")
