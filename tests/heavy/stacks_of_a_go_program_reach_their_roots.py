# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""A real Go program, with goroutines that share threads and one that has a thread of its own: its
user stacks are complete, but for those that run for a goroutine on another stack, and the one whose
functions are known has all of them."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

PROGRAM = r"""
package main

import ("fmt"; "os"; "runtime"; "sync"; "syscall"; "time")

var lock sync.Mutex
var sum int

//go:noinline
func inner() { t := syscall.Timespec{Nsec: 2000000}; syscall.Nanosleep(&t, nil) }

//go:noinline
func outer() { inner(); sum++ }

func alone() { runtime.LockOSThread(); for { outer() } }

func share(values chan int) {
	for value := range values {
		lock.Lock()
		sum += value
		lock.Unlock()
		time.Sleep(100 * time.Microsecond)
		_, _ = os.ReadFile("/proc/self/stat")
	}
}

func main() {
	values := make(chan int)
	go alone()
	for i := 0; i < 4; i++ { go share(values) }
	fmt.Println("{}")
	for i := 0; ; i++ { values <- i }
}
"""
KNOWN = ["runtime.goexit.abi0", "main.alone", "main.outer", "main.inner"]
OTHER = "goes on on a goroutine's stack"

need_root()
go = shutil.which("go") or next(iter(glob.glob("/usr/lib/go-*/bin/go")), None)
if not go:
    skip("go is not installed: apt-get install golang-go", is_optional=True)
with open("main.go", "w") as file:
    file.write(PROGRAM)
run(go, "build", "-o", "routines", "main.go", timeout=200,
    env={**os.environ, "GO111MODULE": "off", "GOCACHE": os.path.join(TEMP, "cache")})
process = background("./routines", stdout=subprocess.PIPE, text=True)
process.stdout.readline()
recording = record("-p", process.pid, "-d", "3")
accounting = recording.report["accounting"]
whole = accounting["complete_user_stacks"]["by_time"]
others = {row["end"]: row["by_time"] for row in accounting["incomplete_user_stacks"]}
print(f"{whole:.2%}, {others}", flush=True)
check(whole > 0.9 and sum(others.values()) - others.get(OTHER, 0) < 0.01, f"{accounting}")
naps = [stack for stack in recording.folded("offcpu", "--state", "blocked")
        if "main.inner" in stack]
check(naps, "nothing of inner()")
for stack in naps:
    check(list(stack[1:5]) == KNOWN, f"{stack}")
