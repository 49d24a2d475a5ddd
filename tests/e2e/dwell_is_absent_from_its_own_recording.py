# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell does not show in its own recording of the whole machine, unless asked by --self."""
from lib import *

for args, is_there in (([], False), (["--self"], True)):
    recorder = Recorder("-a", "-d", "1.5s", *args, path=f"self-{is_there}.dwell")
    recording = recorder.wait()
    own = recording.of_process(recorder.pid)
    check(bool(own) == is_there, f"with {args}: {own}")
    check_books(recording)
