# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell check --cost TARGET` counts the target's switches for two seconds and says what recording
them would cost; nothing is recorded."""
import re
from lib import *

need_root()
ping = background(workload("pingpong"), 10**9, "pinned")
start = time.monotonic()
text = dwell("check", "--cost", "-p", ping.pid).stdout
check(1.8 < time.monotonic() - start, "it counts for two seconds")
numbers = [float(n.replace(",", "")) for n in re.findall(r"[\d,]*\d(?:\.\d+)?", text)]
check("switches" in text and any(n > 1000 for n in numbers), f"a busy process: {text}")
check("%" in text, f"no share of a CPU: {text}")
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
