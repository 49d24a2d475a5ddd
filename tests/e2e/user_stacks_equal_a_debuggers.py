# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# alone, because it loads both CPUs
"""Programs as distributions build them, without frame pointers, blocked in places of their own:
their user stacks are those that eu-stack sees, frame by frame, both when they were caught leaving
the CPU and when dwell was attached after they had fallen asleep."""
import shlex
import sys

from debugger import *
from lib import *

need_root()
need_tool("eu-stack")
need_tool("gcc")

C = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) int deep(int n, int *p)
{
	char room[n % 64 + 16];
	int own = n;
	room[n % 16] = (char)n;
	int got = n ? deep(n - 1, &own) : pause();
	sink += room[3] + *p;
	return got + own;
}
static void on_signal(int number) { sink = deep(number, &(int){3}); }
static int compare(const void *a, const void *b) { pause(); return *(const int *)a - *(const int *)b; }
static void *sorter(void *unused) { int some[] = {3, 1, 2}; qsort(some, 3, 4, compare); return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc > 1 && argv[1][0] == 's') {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
	}
	pthread_create(&thread, NULL, sorter, NULL);
	return deep(argc > 2 ? atoi(argv[2]) : 40, &argc);
}
"""
CC = r"""
#include <condition_variable>
#include <algorithm>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
struct Guard { std::mutex m; std::condition_variable c; ~Guard() {} };
static void sleep_for_ever(Guard &g) { std::unique_lock<std::mutex> l(g.m); g.c.wait(l, [] { return false; }); }
int main()
{
	Guard g, h;
	std::vector<int> v{3, 2, 1};
	std::thread t([&] { std::for_each(v.begin(), v.end(), [&](int) { std::function<void()> f = [&] { sleep_for_ever(g); }; f(); }); });
	try { throw 1; } catch (int) { sleep_for_ever(h); }
}
"""
RUST = r"""
use std::sync::mpsc::channel;
fn descend(n: u32) -> u32 { if n == 0 { let (_s, r) = channel::<u32>(); r.recv().unwrap_or(1) }
    else { std::hint::black_box(descend(std::hint::black_box(n - 1))) + 1 } }
fn main() { let (s, r) = channel::<u32>();
    let t = std::thread::spawn(move || { std::thread::sleep(std::time::Duration::from_secs(1000)); drop(s); });
    println!("{}", r.recv().unwrap_or(0) + descend(20)); t.join().unwrap(); }
"""


def build(name, text, *command):
    with open(name, "w") as file:
        file.write(text)
    run(*command, name)


build("plain.c", C, "gcc", "-O2", "-fomit-frame-pointer", "-pthread", "-w", "-o", "c_plain")
build("plain.c", C, "gcc", "-O2", "-fomit-frame-pointer", "-pthread", "-w", "-static", "-o", "c_static")
build("wait.cc", CC, "g++", "-O2", "-fomit-frame-pointer", "-pthread", "-w", "-o", "cc_wait")

# model/unwind.h
COMPLETE = 0
UNDESCRIBED = 13
# They wake up many times a second, and sleep in one place.
PERIODIC = ("redis", "java")
PROGRAMS = {
    "c_plain": ["./c_plain", "-", "300"],
    "c_signal": ["./c_plain", "s"],
    "c_static": ["./c_static", "-", "60"],
    "c++": ["./cc_wait"],
    "bash": ["bash", "-c", "f() { read line; }; g() { f; :; }; g; :"],
    "perl": ["perl", "-e", "sub f { sleep 1000 } f()"],
    "python": ["/usr/bin/python3", "-c", "import threading, time\n"
               "t = threading.Thread(target=lambda: time.sleep(1000)); t.start(); t.join()"],
    "git": ["git", "cat-file", "--batch"],
    "gdb": ["gdb", "-q", "-nx"],
    "busybox": ["busybox", "sleep", "1000"],
    "node": ["node", "-e", "setInterval(() => {}, 1e9)"],
    "redis": ["redis-server", "--port", "0", "--unixsocket", "redis.sock", "--save", ""],
    "nginx": ["nginx", "-p", TEMP, "-c", "nginx.conf", "-e", "error.log"],
}
with open("nginx.conf", "w") as conf:
    conf.write("daemon off; master_process off; pid nginx.pid; error_log error.log;\n"
               "events {} http { access_log off; server { listen unix:nginx.sock; } }\n")
run("git", "init", "-q", "repository")

if shutil.which("rustc"):
    built = subprocess.run(["rustc", "-O", "-o", "rust_wait", "-"], input=RUST, text=True,
                           capture_output=True)
    if built.returncode == 0:
        PROGRAMS["rust"] = ["./rust_wait"]
if shutil.which("java"):
    # Its own threads sleep in the library; compiled Java code is not for eu-stack to walk.
    PROGRAMS["java"] = ["java", "-Xint", "-cp", TEMP, "Sleep"]
    with open("Sleep.java", "w") as source:
        source.write("class Sleep { public static void main(String[] a) throws Exception { "
                     "Thread.sleep(1000000); } }\n")
    if not shutil.which("javac") or subprocess.run(["javac", "Sleep.java"]).returncode:
        del PROGRAMS["java"]

if shutil.which("initdb") and shutil.which("runuser"):
    # It refuses to be root.
    os.chmod(TEMP, 0o755)
    os.mkdir("pg")
    made = subprocess.run(["sh", "-c", "chown postgres pg && runuser -u postgres -- initdb -D pg/data"],
                          capture_output=True)
    if made.returncode == 0:
        PROGRAMS["postgres"] = ["setpriv", "--reuid", "postgres", "--clear-groups", "postgres", "-D",
                                "pg/data", "-k", TEMP + "/pg", "-c", "listen_addresses="]

# One whose files are not where we would look for them.
os.makedirs("jail")
needed = re.findall(r"(/\S+)", run("ldd", "/usr/bin/sleep").stdout)
for path in [*needed, "/usr/bin/sleep"]:
    os.makedirs(os.path.dirname("jail" + path), exist_ok=True)
    shutil.copy(path, "jail" + path)
PROGRAMS["chroot"] = ["chroot", "jail", "/usr/bin/sleep", "1000"]

PROGRAMS = {name: argv for name, argv in PROGRAMS.items() if shutil.which(argv[0])}
check(len(PROGRAMS) >= 8, f"too few programs: {PROGRAMS}")


def start_all():
    started = {}
    for name, argv in PROGRAMS.items():
        process = background(*argv, stdin=subprocess.PIPE,
                             cwd="repository" if name == "git" else None)
        started[name] = process.pid
    wait_for_all(started)
    return started


def wait_for_all(started):
    for name, pid in started.items():
        wait_asleep(pid, name in PERIODIC)


def up_to_generated_code(frames):
    """What comes after a frame without a file is beyond eu-stack."""
    for number, (name, _) in enumerate(frames):
        if name in ("anonymous", "[anonymous]", "[jit]", "unmapped", "[unknown]"):
            return frames[:number]
    return frames


def compare(how, recording, started, before):
    compared = whole = 0
    for name, pid in started.items():
        unmoved = {tid for tid, count in switches_of(pid).items() if before[pid].get(tid) == count}
        theirs = stacks_of_debugger(pid)
        ours = open_stacks(recording, pid)
        check(pid in ours, f"{how}: no user stack of {name} {pid}: {recording.stderr}")
        check(pid in theirs or name == "chroot", f"eu-stack cannot walk {name}")
        if name == "redis":
            unmoved.add(pid)
        for tid in sorted(set(theirs) & set(ours) & unmoved):
            want, (got, end) = theirs[tid], ours[tid]
            is_partial = up_to_generated_code(want) != want
            want = up_to_generated_code(want)
            check(got[:len(want)] == want,
                  f"{how}: {name} {pid}/{tid}\nours   {got}\ntheirs {want}")
            if not is_partial and name not in ("node", "java"):
                check(len(got) == len(want), f"{how}: {name} {tid}\nours   {got}\ntheirs {want}")
                # busybox is built without unwind information: nobody gets to its main.
                check(end == (UNDESCRIBED if name == "busybox" else COMPLETE),
                      f"{how}: {name} {tid} ended by {end}: {got}")
                whole += 1
            compared += 1
        print(f"{how}: {name}: {len(theirs)} threads, {len(ours)} of ours, {len(unmoved)} unmoved",
              flush=True)
    check(compared >= len(started), f"{how}: only {compared} threads could be compared")
    check(whole >= 10, f"{how}: only {whole} whole stacks")
    print(f"{how}: {compared} stacks, {whole} of them whole", flush=True)


recorder = Recorder("-a", path=os.path.join(TEMP, "out.dwell"))
started = start_all()
before = {pid: switches_of(pid) for pid in started.values()}
recording = recorder.stop()
compare("caught at switch-out", recording, started, before)

# eu-stack has stopped and moved them: they are asleep again before dwell comes.
wait_for_all(started)
before = {pid: switches_of(pid) for pid in started.values()}
recording = record("-p", ",".join(map(str, started.values())), "-d", "1")
compare("attached to sleepers", recording, started, before)
