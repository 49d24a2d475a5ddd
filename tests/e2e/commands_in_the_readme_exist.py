# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command in the README's code blocks is one that dwell or the Makefile knows, with options
that it knows."""
import re
from lib import *

with open(os.path.join(TOP, "README.md")) as file:
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", file.read(), re.M | re.S)
helps = {command: dwell(command, "--help").stdout
         for command in ("record", "calls", "report", "flame", "html", "diff", "import", "check")}
helps[""] = helps["record"]
seen = set()
for line in "".join(blocks).split("\n"):
    words = line.split("#")[0].replace("$ ", "", 1).split()
    if words[:1] == ["sudo"]:
        words = words[1:]
    if words[:1] == ["make"]:
        seen.add("make")
        run("make", "-n", "-C", TOP, *words[1:])
    if not words or words[0] not in ("dwell", "./dwell"):
        continue
    seen.add("dwell")
    command = words[1] if len(words) > 1 and words[1] in helps else ""
    for word in words[1:]:
        if word in ("--", "|", ">"):
            break
        if word.startswith("--"):
            check(word.split("=")[0] in helps[command], f"unknown option in: {line}")
        elif re.fullmatch(r"-[a-zA-Z]", word) and word != "-h":
            check(f"{word}, " in helps[command] or f"{word} " in helps[command],
                  f"unknown option in: {line}")
check(seen == {"make", "dwell"}, f"the README shows no commands: {seen}")
