# SPDX-License-Identifier: GPL-2.0-or-later
"""Two threads wait for each other's mutex. The report's first sentence says that this is a deadlock, and
names both threads and both mutexes, whether it began in the recording or was there before. Two that
wait for a mutex whose owner sleeps are stuck as well, but in no deadlock; nor are two of whom one waits for what the
other had when it began to wait, and has handed on."""
from lib import *


def in_short(recording):
    """The sentence of the first screen, unwrapped."""
    text = dwell("report", recording.path).stdout
    found = re.search(r"^In short: (.*?)\n\n", text, re.M | re.S)
    check(found, f"nothing in short: {text}")
    return " ".join(found.group(1).split()), text


def recorded_before(*words):
    """From before it is stuck until a moment after."""
    program = Workload("deadlock", "later", *words)
    recorder = Recorder("-p", str(program.pid), path=f"before{''.join(words)}.dwell")
    begun = time.monotonic()
    program.go()
    check(program.line() == "stuck", "it is not stuck")
    # Stuck is who waits through most of the recording.
    time.sleep(0.5 + 2 * (time.monotonic() - begun))
    recording = recorder.stop()
    program.kill()
    return recording


def recorded_after(*words):
    program = Workload("deadlock", *words)
    check(program.line() == "stuck", "it is not stuck")
    recording = record("-p", str(program.pid), "-d", "700ms")
    program.kill()
    return recording


need_root()
wrong = []
for make in (recorded_before, recorded_after):
    sentence, _ = in_short(make())
    for word in ("deadlock", r"\bleft\b", r"\bright\b", r"\bleft_lock\b", r"\bright_lock\b"):
        if not re.search(word, sentence, re.I):
            wrong.append(f"{make.__name__}: no {word} in: {sentence}")
    for word in ("asleep", "handed"):
        sentence, text = in_short(make(word))
        if "deadlock" in text.lower() or "keeper" not in sentence:
            wrong.append(f"{make.__name__}, {word}: {text}")
check(not wrong, "\n".join(wrong))
