# SPDX-License-Identifier: GPL-2.0-or-later
"""There is a man page for dwell, each command and the recording; all render without warnings, and
each names every option of its command."""
import re
from lib import *

need_tool("man")
pages = {os.path.basename(path) for path in glob.glob(os.path.join(TOP, "man/*.[1-8]"))}
check({"dwell.1", "dwell-record.1", "dwell-report.1", "dwell-flame.1", "dwell-check.1",
       "dwell-import.1", "dwell-html.1",
       "dwell-recording.5"} <= pages, f"{pages}")
environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80")
for page in sorted(pages):
    result = run("man", "--warnings", "-l", os.path.join(TOP, "man", page), env=environment)
    check(result.stderr == "", f"{page}: {result.stderr}")
    check("NAME" in result.stdout and "SYNOPSIS" in result.stdout or page.endswith(".5"), page)
    command = re.fullmatch(r"dwell-(record|report|flame|html|import|check)\.1", page)
    if command:
        text = re.sub(r".\x08", "", result.stdout).replace("\u2010", "-").replace("\u2212", "-")
        help_text = dwell(command.group(1), "--help").stdout
        for option in re.findall(r"^  (?:-., |    )(--[a-z-]+)", help_text, re.M):
            # That every command has help is said once, in dwell(1).
            check(option in text or option == "--help", f"{page} does not mention {option}")
