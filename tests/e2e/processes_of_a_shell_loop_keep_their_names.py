# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""A shell loop of programs and of subshells, which never execute anything: every one has the name
and the program that it ran."""
from scale import *

ROUNDS = 500 // SLOW
true, shell = shutil.which("true"), shutil.which("sh")
loop = f"i=0; while [ $i -lt {ROUNDS} ]; do i=$((i + 1)); {true}; (exit 3); done; exit 5"
recording = record(command=[shell, "-c", loop], status=5)
check_no_lost_time(recording)
check(len(recording.named("true")) == ROUNDS, f"{len(recording.named('true'))} threads")
check(len(recording.named("sh")) == ROUNDS + 1, f"{len(recording.named('sh'))} shells")
check_short_lived(recording, {"true": true, "sh": shell}, 2 * ROUNDS + 1)
check_objects(recording)
