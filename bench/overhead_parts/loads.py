# SPDX-License-Identifier: GPL-2.0-or-later
"""The loads: each is set up once and run for every turn. A run gives its throughput, whose unit
does not matter, because only ratios are shown."""
import contextlib
import glob
import os
import pwd
import re
import subprocess
import time

from .base import Trouble, find, running, said

TIMEOUT_S = 300


def output_of(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S, **options)
    if done.returncode:
        raise Trouble(f"{' '.join(command[:4])} ... failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def number_in(text, pattern):
    found = re.search(pattern, text)
    if not found:
        raise Trouble(f"no figure in what the load said: {text.strip()[-300:]}")
    return float(found.group(1).replace(",", ""))


def wait_for(condition, process, what):
    deadline = time.monotonic() + 20
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            raise Trouble(f"{what} did not start: {said(process)[-300:]}")
        time.sleep(0.05)


def answers(*command):
    return lambda: not subprocess.run(command, capture_output=True, check=False).returncode


class Load:
    name = ""
    package = ""
    needs = ()

    def missing(self):
        """What to install, or None."""
        absent = [name for name in self.needs if not find(name)]
        return f"{', '.join(absent)} is missing (apt-get install {self.package})" if absent else None

    @contextlib.contextmanager
    def ready(self, folder):
        yield

    def run(self, seconds):
        raise NotImplementedError


class Pipe(Load):
    """Two threads and a pipe, on one CPU: nothing but switches and wakes."""
    name, package, needs = "pipe", "linux-perf", ("perf", "taskset")

    def __init__(self, cpu):
        self.cpu = cpu

    def run(self, seconds):
        loops = int(seconds * 40000)
        out = output_of(["taskset", "-c", str(self.cpu), "perf", "bench", "sched", "pipe", "-T", "-l",
                         str(loops)])
        return number_in(out, r"([\d.]+) ops/sec")


class Messaging(Load):
    """Groups of processes that send each other messages."""
    name, package, needs = "messaging", "linux-perf", ("perf",)

    def run(self, seconds):
        out = output_of(["perf", "bench", "sched", "messaging", "-g", "4", "-l", str(int(seconds * 60))])
        return 1 / number_in(out, r"Total time: ([\d.]+)")


class Pgbench(Load):
    """PostgreSQL, read only: on each of two CPUs a server of its own with four clients. Unbound, the
    same load has two ways to run, with and without interrupts between CPUs, of which one is a fifth
    slower, and any recorder's start moves it from one to the other."""
    package = "postgresql"
    needs = ("runuser", "taskset")

    def __init__(self, is_tcp):
        self.is_tcp = is_tcp
        self.name = "pgbench-tcp" if is_tcp else "pgbench"

    def missing(self):
        if not self.folder():
            return "PostgreSQL is missing (apt-get install postgresql)"
        return super().missing()

    @staticmethod
    def folder():
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        return found[-1] if found and os.path.exists(f"{found[-1]}/pgbench") else None

    def command(self, name, *arguments):
        return ["runuser", "-u", "postgres", "--", f"{self.folder()}/{name}", *arguments]

    @contextlib.contextmanager
    def server(self, folder, number, cpu):
        """Gives where it is, for its clients."""
        user = pwd.getpwnam("postgres")
        data = f"{folder}/data{cpu}"
        os.mkdir(data)
        os.chown(data, user.pw_uid, user.pw_gid)
        port = str(15432 + 2 * (os.getpid() % 5000) + number)
        output_of(self.command("initdb", "-D", data, "-A", "trust", "--no-sync"), cwd="/")
        server = self.command("postgres", "-D", data, "-k", data, "-p", port, "-c", "fsync=off",
                              "-c", "listen_addresses=127.0.0.1")
        where = ["-h", "127.0.0.1" if self.is_tcp else data, "-p", port]
        with running(["taskset", "-c", str(cpu), *server], "PostgreSQL", cwd="/") as process:
            wait_for(answers(*self.command("pg_isready", *where)), process, "PostgreSQL")
            output_of(self.command("pgbench", "-i", "-q", "-s", "5", *where, "postgres"), cwd="/")
            try:
                yield where
            finally:
                # The process that we have started is the one that changes the user.
                output_of(self.command("pg_ctl", "stop", "-m", "immediate", "-D", data), cwd="/")

    @contextlib.contextmanager
    def ready(self, folder):
        os.chmod(folder, 0o755)
        cpus = sorted(os.sched_getaffinity(0))[:2]
        with contextlib.ExitStack() as stack:
            self.servers = [(cpu, stack.enter_context(self.server(folder, number, cpu)))
                            for number, cpu in enumerate(cpus)]
            yield

    def run(self, seconds):
        length = str(max(1, round(seconds)))
        clients = [subprocess.Popen(["taskset", "-c", str(cpu),
                                     *self.command("pgbench", "-n", "-S", "-c", "4", "-j", "1", "-T", length,
                                                   *where, "postgres")],
                                    cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
                   for cpu, where in self.servers]
        try:
            said_by = [client.communicate(timeout=TIMEOUT_S)[0] for client in clients]
        finally:
            for client in clients:
                client.kill()
        return sum(number_in(out, r"tps = ([\d.]+)") for out in said_by)


class Redis(Load):
    """GET and SET from 50 clients over TCP."""
    name, package, needs = "redis", "redis-server", ("redis-server", "redis-benchmark", "redis-cli")

    @contextlib.contextmanager
    def ready(self, folder):
        self.port = str(16379 + os.getpid() % 10000)
        server = ["redis-server", "--port", self.port, "--save", "", "--dir", folder]
        with running(server, "redis-server") as process:
            wait_for(answers("redis-cli", "-p", self.port, "ping"), process, "redis-server")
            yield

    def run(self, seconds):
        count = int(seconds * 25000)
        out = output_of(["redis-benchmark", "-p", self.port, "-n", str(count), "-t", "get,set", "--csv"])
        rates = [float(rate) for rate in re.findall(r'^"(?:GET|SET)","([\d.]+)"', out, re.M)]
        if len(rates) != 2:
            raise Trouble(f"no figures in what redis-benchmark said: {out[-300:]}")
        return 2 / sum(1 / rate for rate in rates)


class Nginx(Load):
    """A small file, by wrk with 16 connections."""
    name, package, needs = "nginx", "nginx-light wrk", ("nginx", "wrk")

    @contextlib.contextmanager
    def ready(self, folder):
        os.chmod(folder, 0o755)
        self.port = 18080 + os.getpid() % 10000
        with open(f"{folder}/index.html", "w", encoding="ascii") as file:
            file.write("x" * 600)
        with open(f"{folder}/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;\n"
                       "events { worker_connections 256; }\n"
                       f"http {{ access_log off; server {{ listen 127.0.0.1:{self.port}; "
                       f"root {folder}; }} }}\n")
        with running(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/errors"], "nginx") as process:
            wait_for(lambda: os.path.exists(f"{folder}/pid"), process, "nginx")
            yield

    def run(self, seconds):
        out = output_of(["wrk", "-t", "1", "-c", "16", "-d", f"{max(1, round(seconds))}s",
                         f"http://127.0.0.1:{self.port}/index.html"])
        return number_in(out, r"Requests/sec:\s+([\d.]+)")


class Build(Load):
    """A parallel build: many short-lived processes."""
    name, package, needs = "build", "gcc make", ("cc", "make")

    @contextlib.contextmanager
    def ready(self, folder):
        self.folder = folder
        with open(f"{folder}/Makefile", "w", encoding="ascii") as file:
            file.write("all: $(OBJECTS)\n%.o: %.c\n\tcc -O1 -c $< -o $@\n")
        with open(f"{folder}/unit.c", "w", encoding="ascii") as file:
            file.write("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
            for i in range(30):
                file.write(f"int f{i}(int x) {{ for (int i = 0; i < x; i++) x += i * {i}; return x; }}\n")
        yield

    def run(self, seconds):
        names = [f"u{i}" for i in range(max(4, int(seconds * 8)))]
        for name in names:
            with contextlib.suppress(FileExistsError):
                os.symlink("unit.c", f"{self.folder}/{name}.c")
        for path in glob.glob(f"{self.folder}/*.o"):
            os.unlink(path)
        begun = time.monotonic()
        output_of(["make", "-s", "-C", self.folder, f"-j{os.cpu_count() + 1}",
                   "OBJECTS=" + " ".join(f"{name}.o" for name in names)])
        return len(names) / (time.monotonic() - begun)


def all_loads(cpu):
    return [Pipe(cpu), Messaging(), Pgbench(False), Pgbench(True), Redis(), Nginx(), Build()]
