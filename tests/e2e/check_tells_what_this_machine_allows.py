# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it asks the kernel
"""`dwell check`: one line per fact, in words and as JSON; as root on a fit kernel all that
recording needs is there."""
from lib import *

need_root()
text = dwell("check").stdout
for word in ("BTF", "CAP_BPF", "kptr_restrict", "perf_event_paranoid", "cgroup"):
    check(word.lower() in text.lower(), f"no {word} in:\n{text}")
check(text.count("ok") >= 8, text)
json.loads(dwell("check", "--json").stdout)
