# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations that need nothing but the tree, a C compiler, make and Python."""
import os
import signal
import socket
import subprocess
import sys
import time

from scene import WORKLOADS

PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


class Mutex:
    """A C mutex whose holder sleeps."""
    answer = "user-* wait for a mutex that refresher holds while it sleeps in refresh_cache()"
    must = [r"^user-\* waited .* for (a )?mutex( .*)? \(ask\), held by refresher 9\d %: asleep in refresh_cache"]
    must_not = ["hrtimer", r"\btimer"]

    def __call__(self, scene):
        return scene.record("--", f"{WORKLOADS}/holder", 2000)


class BusyHolder:
    """A C mutex whose holders compute."""
    answer = "user-* wait for a mutex that the others hold while they compute in use_cache()"
    must = [r"^user-\* waited .* for (a )?mutex( .*)? \(ask\), held by another user-\* \d\d %: .*running \(mostly use_cache\)"]
    must_not = []

    def __call__(self, scene):
        return scene.record("--", f"{WORKLOADS}/holder", 2000, 6, 1500)


class Computes:
    """A program that only computes."""
    answer = "it computes in burn_seventy()"
    must = [r"^computing: .* \(\d\d % in burn_seventy"]
    must_not = ["waited"]

    def __call__(self, scene):
        # The program takes turns of 10 ms: at 99 Hz samples would be nearly in step with it.
        return scene.record("-F", 617, "--", f"{WORKLOADS}/two_burners", 1500)


class Gil:
    """Python threads that compute."""
    answer = "the threads of the pool wait for Python's GIL, which the others hold while they run"
    must = [r"waited .* for Python's GIL.*held by .*: running"]
    must_not = ["nothing but idle"]

    def __call__(self, scene):
        script = scene.write("gil.py", """
import threading, time
end = time.monotonic() + 2.5
def crunch():
    x = 0
    while time.monotonic() < end:
        for i in range(100000): x += i * i
for i in range(4): threading.Thread(target=crunch, name=f"crunch-{i}").start()
""")
        return scene.record("--", PYTHON, script)


class Stopped:
    """A process that was stopped by job control."""
    answer = "worker was stopped by a signal and never went on"
    must = [r"was stopped by a signal for .* and has not gone on"]
    must_not = ["idle;"]

    def __call__(self, scene):
        process = scene.start("sh", "-c", "while :; do :; done")
        time.sleep(0.2)
        process.send_signal(signal.SIGSTOP)
        return scene.record("-p", process.pid, seconds=1)


class Deadlock:
    """Two threads that hold what the other wants."""
    answer = "left and right are stuck at a mutex each"
    must = [r"left (is stuck: it|holds .* and) waits for (a )?mutex( .*)? \(take_both\)",
            r"right (is stuck: it|holds .* and) waits for (a )?mutex( .*)? \(take_both\)"]
    must_not = ["idle;"]

    def __call__(self, scene):
        process = scene.start(f"{WORKLOADS}/deadlock", stdout=subprocess.PIPE)
        process.stdout.readline()
        return scene.record("-p", process.pid, seconds=1)


class Pipeline:
    """A shell pipeline with a slow stage."""
    answer = "everybody waits for middle.py, which computes"
    must = [r"wc waited .*(for|:) middle.py \d+ %: running"]
    must_not = []

    def __call__(self, scene):
        scene.write("middle.py", "#!" + PYTHON + """
import sys
for line in sys.stdin.buffer:
    x = 0
    for i in range(20000): x += i
    sys.stdout.buffer.write(line)
""")
        os.chmod(scene.path("middle.py"), 0o755)
        return scene.record("--", "sh", "-c",
                            "timeout 2 yes some words in a row | ./middle.py | wc -l")


class Build:
    """A parallel build."""
    answer = "it computes: cc1"
    must = [r"computing: .* of it cc1|ready without a CPU: .*computing: .* of it cc1"]
    must_not = []

    def __call__(self, scene):
        rules = "all: " + " ".join(f"f{i}.o" for i in range(12)) + "\n"
        for i in range(12):
            scene.write(f"f{i}.c", "#include <stdio.h>\n" + "".join(
                f"int f{i}_{j}(int x) {{ return x * {j} + printf(\"%d\", x); }}\n" for j in range(600)))
        scene.write("Makefile", rules + "%.o: %.c\n\tcc -O2 -c -o $@ $<\n")
        return scene.record("--", "make", "-j4")


class IdleDaemon:
    """A daemon that nobody asks anything."""
    answer = "nothing: it is idle"
    must = ["nothing but idle"]
    must_not = []

    def __call__(self, scene):
        script = scene.write("daemon.py", """
import selectors, socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
loop = selectors.DefaultSelector(); loop.register(s, selectors.EVENT_READ)
print("ready", flush=True)
while True: loop.select(0.3)
""")
        process = scene.start(PYTHON, script, stdout=subprocess.PIPE)
        process.stdout.readline()
        return scene.record("-p", process.pid, seconds=2)


class SlowBackend:
    """A client of a server that asks a slow backend."""
    answer = "client waits, through front, for backend, which sleeps in slow_answer()"
    # front waits nearly as long for it: on a busy machine either may come first.
    must = [r"(client|front) waited .*(for|:) backend \d+ %: asleep in slow_answer"]
    must_not = ["timer"]

    def __call__(self, scene):
        return scene.record("--", f"{WORKLOADS}/tiers", 2000)


class DeadResolver:
    """A name server that does not answer."""
    answer = "the client waits for DNS"
    must = [r"waited .* for DNS"]
    must_not = ["nothing but idle"]

    def __call__(self, scene):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        scene.stack.callback(server.close)
        server.bind(("127.99.0.53", 53))
        resolv = scene.write("resolv.conf", "nameserver 127.99.0.53\noptions timeout:1 attempts:2\n")
        order = scene.write("nsswitch.conf", "hosts: dns\n")
        ask = scene.write("ask.py", "import socket\ntry: socket.getaddrinfo('name.invalid', 80)\nexcept OSError: pass\n")
        # In a mount namespace of its own: the machine's files stay as they are.
        return scene.record("--", "unshare", "--mount", "sh", "-c",
                            f"mount --bind {resolv} $(readlink -f /etc/resolv.conf) && "
                            f"mount --bind {order} /etc/nsswitch.conf && exec {PYTHON} {ask}")


class TimedOutConnect:
    """A server that does not answer a connect."""
    answer = "the client waits in connect"
    must = [r"waited .* for a connect"]
    must_not = ["nothing but idle"]

    def __call__(self, scene):
        # A queue that is full: further connects are not answered.
        server = socket.socket()
        scene.stack.callback(server.close)
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(server.getsockname())
            scene.stack.callback(client.close)
        ask = scene.write("connect.py", f"import socket\ns = socket.socket()\ns.connect({server.getsockname()!r})\n")
        process = scene.start(PYTHON, ask)
        time.sleep(0.3)
        return scene.record("-p", process.pid, seconds=2)


def on_first_cpu(scene, name):
    """A shell by that name that computes on the first CPU."""
    os.symlink("/bin/sh", scene.path(name))
    process = scene.start(scene.path(name), "-c", "while :; do :; done")
    os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
    return process


class Hogged:
    """A program that has to share its CPU with others."""
    answer = "app is ready most of the time, behind two hogs that are not recorded"
    must = [r"^ready without a CPU: .*; (all|\d+ %) behind hog-\*"]
    must_not = ["quota", "idle CPU"]

    def __call__(self, scene):
        for name in ("hog-1", "hog-2"):
            on_first_cpu(scene, name)
        app = on_first_cpu(scene, "app")
        return scene.record("-p", app.pid, seconds=2)


class PythonLock:
    """Python threads that want one lock, whose holder sleeps."""
    answer = "the threads wait for a Python lock; who has it sleeps"
    must = [r"waited .* for a Python lock.*: asleep in"]
    must_not = ["nothing but idle"]

    def __call__(self, scene):
        script = scene.write("lock.py", """
import threading, time
lock = threading.Lock()
def serve():
    while True:
        with lock: time.sleep(0.05)
for i in range(4): threading.Thread(target=serve, daemon=True).start()
time.sleep(60)
""")
        process = scene.start(PYTHON, script)
        time.sleep(0.5)
        return scene.record("-p", process.pid, seconds=2)


SITUATIONS = [Mutex(), BusyHolder(), Computes(), Gil(), Stopped(), Deadlock(), Pipeline(), Build(), IdleDaemon(),
              SlowBackend(), DeadResolver(), TimedOutConnect(), Hogged(), PythonLock()]
