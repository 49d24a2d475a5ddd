# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because it is a try
from lib import *
need_root()
p = background(workload("call_parts"), 4, 20, 2000, stdin=subprocess.PIPE) if False else None
import subprocess, json, time
w = subprocess.Popen([workload("call_parts"), "4", "10", "1000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
time.sleep(1)
import threading
def go():
    time.sleep(4); w.stdin.write("go\n"); w.stdin.flush()
threading.Thread(target=go).start()
for words in (["part_call","tiny_call","outer_call"],):
    r = subprocess.run([DWELL,"calls","-p",str(w.pid),*words,"syscall:nanosleep","k:do_nanosleep","-d","14","-o","/tmp/x.dwell"],capture_output=True,text=True, env=dict(os.environ, DWELL_DEBUG="1"))
    print(r.stdout[-4000:], r.stderr[-3000:])
check(r.returncode == 0, "rc")
