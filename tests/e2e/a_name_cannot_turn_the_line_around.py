# SPDX-License-Identifier: GPL-2.0-or-later
"""A program whose name holds characters that turn the direction of writing, or that nobody sees:
they are in no output as they are. JSON has them escaped, so that the name is still exact."""
import unicodedata
from lib import *

NAME = "a\u202eb\u061cc\u2066d"
PATH = os.path.join(TEMP, NAME + "\u200f\ufeff\u2028\u00ad\u0085\U000e0041")


def check_harmless(what, text):
    bad = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp")}
    check(not bad - set("\n\t"), f"{what} shows {[hex(ord(char)) for char in bad]}")


shutil.copy(workload("deep_sleeper"), PATH)
program = background(PATH, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
program.stdout.readline()
record("-p", program.pid, "-d", "0.5", path="x.dwell")
for command in (["report"], ["report", "--full"], ["report", "--wait", "1"], ["report", "--json"],
                ["report", "--functions"], ["report", "--functions", "--json"], ["flame", "-f"],
                ["flame", "-f", "--by", "process"], ["diff", "x.dwell"], ["diff", "x.dwell", "--json"]):
    result = dwell(command[0], "x.dwell", *command[1:], status=None)
    check(result.returncode in (0, 1), f"{command}: {result.stderr}")
    check_harmless(command, result.stdout + result.stderr)
for name in ("x.svg", "x.html"):
    dwell("flame" if name == "x.svg" else "html", "x.dwell", "-o", name)
    with open(name, encoding="utf-8") as file:
        check_harmless(name, file.read())
comms = {thread["comm"] for thread in report_json("x.dwell")["threads"]}
check(any(comm.startswith(NAME[:4]) for comm in comms), f"the name is not exact: {comms}")
