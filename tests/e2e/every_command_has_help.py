# SPDX-License-Identifier: GPL-2.0-or-later
"""-h is short, --help full with examples first; both to stdout, status 0, without privilege."""
from lib import *

top = dwell()
check(top.stdout.count("\n  dwell ") >= 5, f"five examples: {top.stdout}")
check(dwell("-h").stdout == top.stdout, "dwell -h")
check(dwell("--help").stdout.startswith(top.stdout) and "--duration" in dwell("--help").stdout,
      "dwell --help adds the options of one shot")
check(max(map(len, top.stdout.splitlines())) <= 80, f"too wide: {top.stdout}")
check(dwell("--version").stdout.startswith("dwell "), "--version")
check(os.listdir(".") == [], "dwell alone never records")

check(dwell("help").stdout == top.stdout, "dwell help")
words = dwell("help", "words").stdout
for word in ("held by X", "not explained", "no CPU", "idle", "stuck"):
    check(f"\n{word} " in words, f"{word} is not in dwell help words: {words}")
check(max(map(len, words.splitlines())) <= 80, words)

for command in ("record", "calls", "report", "flame", "html", "diff", "import", "list", "check"):
    check(command in top.stdout, f"{command} is not in the help")
    short, full = dwell(command, "-h"), dwell(command, "--help")
    check(dwell("help", command).stdout == full.stdout, f"dwell help {command} is not its --help")
    check(short.stderr == full.stderr == "", f"{command}: {short.stderr}{full.stderr}")
    check(f"dwell {command}" in short.stdout, short.stdout)
    check(len(short.stdout) < len(full.stdout), f"{command}: -h is not shorter than --help")
    check(max(map(len, full.stdout.splitlines())) <= 80, f"{command} --help is too wide")
    check(0 < full.stdout.find("Examples") < full.stdout.find("\n  -"), f"{command}: no examples")

# Whatever takes a view lists them, and says that what was counted is one.
for command in ("report", "flame", "diff"):
    about = re.search(r"--view VIEW +(.*?)\n +(?:-., )?--", dwell(command, "--help").stdout, re.S)[1]
    for word in ("offcpu", "oncpu", "runq", "hotcold", "wakeup", "(record -e)"):
        check(word in " ".join(about.split()), f"{command} --help: no {word} in: {about}")
