# SPDX-License-Identifier: GPL-2.0-or-later
"""There is a man page for dwell, each command and the recording; all render without warnings, and
each names every option of its command and opens with the three commands that one needs; dwell(1) has
every command, and every word of dwell help words."""
import re
from lib import *

need_tool("man")
pages = {os.path.basename(path) for path in glob.glob(os.path.join(TOP, "man/*.[1-8]"))}
check({"dwell.1", "dwell-record.1", "dwell-report.1", "dwell-flame.1", "dwell-check.1",
       "dwell-import.1", "dwell-html.1", "dwell-list.1", "dwell-calls.1",
       "dwell-recording.5"} <= pages, f"{pages}")
environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80")
for page in sorted(pages):
    result = run("man", "--warnings", "-l", os.path.join(TOP, "man", page), env=environment)
    check(result.stderr == "", f"{page}: {result.stderr}")
    check("NAME" in result.stdout and "SYNOPSIS" in result.stdout or page.endswith(".5"), page)
    command = re.fullmatch(r"dwell-(record|calls|report|flame|html|import|list|check)\.1", page)
    if command:
        text = re.sub(r".\x08", "", result.stdout).replace("\u2010", "-").replace("\u2212", "-")
        help_text = dwell(command.group(1), "--help").stdout
        for option in re.findall(r"^  (?:-., |    )(--[a-z-]+)", help_text, re.M):
            # That every command has help is said once, in dwell(1).
            check(option in text or option == "--help", f"{page} does not mention {option}")

COMMANDS = ("check", "list", "record", "calls", "report", "flame", "html", "diff", "import")
helps = {command: dwell(command, "--help").stdout for command in COMMANDS}
helps[""] = helps["record"]


def check_example(page, line):
    """A command of dwell has only options that dwell knows."""
    words = line.split()
    while words and words[0] != "dwell":
        words = words[1:]
    command = words[1] if len(words) > 1 and words[1] in helps else ""
    for word in words[1:]:
        if word in ("--", "|", ">"):
            break
        if word.startswith("-") and len(word) > 1:
            check(re.search(rf"(^|[ ,]){re.escape(word)}[ ,\n]", helps[command]), f"{page}: {word} in: {line}")


for page in sorted(pages):
    with open(os.path.join(TOP, "man", page)) as file:
        source = file.read()
    sections = [part.split("\n", 1) for part in source.split("\n.SH ")[1:]]
    titles = [title.strip('"') for title, _ in sections]
    opening = titles.index("SYNOPSIS") + 1 if "SYNOPSIS" in titles else 1
    check(titles[opening] == "IN SHORT", f"{page} opens with {titles[opening]}")
    items = re.findall(r"^\.TP\n\.B (.*)", sections[opening][1], re.M)
    check(len(items) == 3, f"{page}: not three commands: {items}")
    for item in items:
        check_example(page, item.replace("\\-", "-").replace("\\(aq", "'"))

text = run("man", "-l", os.path.join(TOP, "man/dwell.1"), env=dict(environment, MANWIDTH="400")).stdout
text = re.sub(r".\x08", "", text).replace("\u2010", "-").replace("\u2019", "'")
synopsis = text[text.index("SYNOPSIS"):text.index("IN SHORT")]
for command in (*COMMANDS, "help"):
    check(f"dwell {command} " in synopsis, f"dwell(1) has no {command} in its synopsis: {synopsis}")
squeezed = " ".join(text.split())
for line in dwell("help", "words").stdout.split("\n\n")[0].splitlines():
    check(" ".join(line.split()) in squeezed, f"dwell(1) has not this word of dwell help words: {line}")
