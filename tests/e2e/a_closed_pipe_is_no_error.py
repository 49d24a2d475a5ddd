# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell flame -f | head -1`: whoever stops reading has had enough; no complaint, status 0."""
from lib import *

recording = record("-a", command=[workload("forker"), "4", "50"])
for args in (("flame", "-f", recording.path), ("report", recording.path),
             ("report", "--json", recording.path), ("--help",), ("record", "--help")):
    reader, writer = os.pipe()
    os.close(reader)
    result = dwell(*args, stdout=writer, status=0)
    os.close(writer)
    check(result.stderr == "", f"{args}: {result.stderr}")
piped = run("sh", "-c", f"{{ {DWELL} flame -f {recording.path}; echo $? >&2; }} | head -1")
# What is set aside is said where it was all written before the pipe was closed.
said = [line for line in piped.stderr.splitlines() if not re.fullmatch(r"dwell: idle .* set aside \(--idle show\)", line)]
check(said == ["0"] and piped.stdout.count("\n") == 1, f"{piped}")
