# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations with programs that have to be installed first, or that want the machine for themselves."""
import glob
import os
import subprocess
import time

from light import PYTHON
from scene import WORKLOADS, free_port, listens, until


def postgres_tool(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else name


class Postgres:
    """A server of its own, and pgbench's tables in it."""
    tools, packages = ["pgbench"], ["postgresql", "postgresql-contrib"]

    def serve(self, scene, scale=1):
        os.chmod(scene.folder, 0o777)
        self.port = free_port()
        self.sockets = scene.folder
        data = scene.path("data")
        self.as_postgres(scene, postgres_tool("initdb"), "-D", data)
        server = scene.start("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                             postgres_tool("postgres"), "-D", data, "-p", self.port, "-k",
                             scene.folder, "-c", "autovacuum=off")
        until(lambda: listens(self.port), "postgres")
        self.as_postgres(scene, "createdb", "-h", scene.folder, "-p", self.port, "bench")
        self.as_postgres(scene, "pgbench", *self.where(), "-i", "-q", "-s", scale, "bench")
        return server

    def where(self):
        return ["-h", self.sockets, "-p", self.port]

    @staticmethod
    def as_postgres(scene, *command):
        return scene.run("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command)

    def load(self, scene, *options):
        return scene.start("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                           "pgbench", *self.where(), "-n", "-T", 60, *options, "bench")


class SleepyCpus:
    """Nothing else must run: two threads that wake each other on two CPUs, which sleep in between."""
    tools, packages = [], []
    answer = "the CPUs are idle, and have to wake up each time"
    must = [r"ready without a CPU: .*; \d+ % waking an idle CPU"]
    must_not = ["behind (ping|pong)"]

    def __call__(self, scene):
        players = scene.start(f"{WORKLOADS}/pingpong", 10000, "apart", stdout=subprocess.DEVNULL)
        return scene.record("-p", players.pid, seconds=2)


class PostgresHotRow(Postgres):
    """PostgreSQL: all clients update one row."""
    answer = "postgres waits for PostgreSQL's row locks, held by other backends that wait for their client"
    must = [r"postgres waited .* for a PostgreSQL lock \(\w*(heap|Xact|Exec)\w*\), held by another postgres"]
    must_not = []

    def __call__(self, scene):
        self.serve(scene)
        script = scene.write("hot.sql", "BEGIN;\nUPDATE pgbench_branches SET bbalance = bbalance + 1 "
                                        "WHERE bid = 1;\n\\sleep 2 ms\nEND;\n")
        self.load(scene, "-c", 8, "-j", 2, "-f", script)
        time.sleep(1)
        return scene.record("-n", "postgres", seconds=3)


class PostgresTpcB(Postgres):
    """PostgreSQL under TPC-B."""
    answer = "the CPUs are full: backends and clients are ready to run most of the time; then fdatasync of the WAL"
    must = [r"ready without a CPU: .* of it postgres;.* CPUs \d+ % busy"]
    must_not = []

    def __call__(self, scene):
        self.serve(scene, scale=10)
        self.load(scene, "-c", 8, "-j", 2)
        time.sleep(1)
        return scene.record("-a", seconds=3)


class RedisAof:
    """Redis that syncs each write."""
    tools, packages = ["redis-server", "redis-benchmark"], ["redis-server", "redis-tools"]
    answer = "redis-server waits in fdatasync for the disk"
    must = [r"redis-server waited .* in fdatasync.*disk|redis-server waited .* (journal|disk)"]
    must_not = []

    def __call__(self, scene):
        port = free_port()
        server = scene.start("redis-server", "--port", port, "--save", "", "--appendonly", "yes",
                             "--appendfsync", "always", "--dir", scene.folder)
        until(lambda: listens(port), "redis")
        scene.start("redis-benchmark", "-p", port, "-t", "set", "-n", 100000000, "-c", 8)
        time.sleep(0.5)
        return scene.record("-p", server.pid, seconds=3)


class NginxSlowBackend:
    """nginx before a slow threaded backend."""
    tools, packages = ["nginx", "wrk"], ["nginx-light", "wrk"]
    answer = "nginx waits for the backend (python3), which sleeps"
    must = [r"python3.* asleep|asleep in .*clock_nanosleep"]
    must_not = []

    def __call__(self, scene):
        back, front = free_port(), free_port()
        script = scene.write("backend.py", f"""
import http.server, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.05)
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *a): pass
class Server(http.server.ThreadingHTTPServer): request_queue_size = 128
Server(("127.0.0.1", {back}), Handler).serve_forever()
""")
        scene.start(PYTHON, script)
        os.makedirs(scene.path("logs"))
        config = scene.write("nginx.conf", f"""
daemon off; worker_processes 1; user root; pid {scene.path('pid')}; error_log {scene.path('error.log')};
events {{ worker_connections 256; }}
http {{ access_log off; server {{ listen 127.0.0.1:{front}; location / {{ proxy_pass http://127.0.0.1:{back}; }} }} }}
""")
        scene.start("nginx", "-c", config, "-p", scene.folder)
        until(lambda: listens(front) and listens(back), "nginx")
        scene.start("wrk", "-t", 1, "-c", 4, "-d", 60, f"http://127.0.0.1:{front}/")
        time.sleep(0.5)
        return scene.record("-n", "nginx", seconds=3)


class NodeExecSync:
    """node that calls execSync in a request."""
    tools, packages = ["node"], ["nodejs"]
    answer = "node's main thread waits in execSync for sleep"
    must = [r"node waited .*(SyncProcess|sleep|spawnSync|SpawnSync)"]
    must_not = []

    def __call__(self, scene):
        script = scene.write("app.js", """
const {execSync} = require('child_process');
const end = Date.now() + 2500;
while (Date.now() < end) { execSync('sleep 0.2'); }
""")
        return scene.record("--", "node", script)


class JavaMonitor:
    """Java threads at a monitor whose owner sleeps."""
    tools, packages = ["java", "javac"], ["default-jdk-headless"]
    answer = "the workers wait for a Java monitor, held by one that sleeps"
    must = [r"waited .* for a Java monitor.*[Hh]eld by .*: asleep"]
    must_not = []

    def __call__(self, scene):
        scene.write("M.java", """
public class M {
  static final Object lock = new Object();
  static volatile long end = System.currentTimeMillis() + 3000;
  public static void main(String[] a) throws Exception {
    Thread[] t = new Thread[4];
    for (int i = 0; i < 4; i++) { t[i] = new Thread(() -> { while (System.currentTimeMillis() < end) synchronized (lock) { hold(); } }, "worker-" + i); t[i].start(); }
    for (Thread x : t) x.join();
  }
  static void hold() { try { Thread.sleep(20); } catch (InterruptedException e) {} }
}
""")
        scene.run("javac", "M.java")
        return scene.record("--", "java", "-XX:+PreserveFramePointer", "-cp", scene.folder, "M")


class GoChannels:
    """Go: consumers of a channel whose producer sleeps."""
    tools, packages = ["go"], ["golang-go"]
    answer = "nothing to run: the goroutines wait for a producer that sleeps"
    must = [r"idle|Go: "]
    must_not = [r"waited .* in futex"]

    def __call__(self, scene):
        scene.write("main.go", """package main
import "time"
func main() {
	c := make(chan int)
	for i := 0; i < 4; i++ { go func() { for range c {} }() }
	end := time.Now().Add(2500 * time.Millisecond)
	for time.Now().Before(end) { c <- 1; time.Sleep(20 * time.Millisecond) }
}
""")
        scene.run("go", "build", "-o", "main", "main.go",
                  env={**os.environ, "GOCACHE": scene.path("cache"), "HOME": scene.folder})
        return scene.record("--", scene.path("main"))


class Fio:
    """fio that reads at random, past the page cache."""
    tools, packages = ["fio"], ["fio"]
    answer = "fio waits for the disk"
    must = [r"fio waited .*disk"]
    must_not = []

    def __call__(self, scene):
        return scene.record("--", "fio", "--name=reads", "--rw=randread", "--size=64m", "--bs=4k",
                            "--direct=1", "--ioengine=psync", "--runtime=3", "--time_based",
                            f"--directory={scene.folder}")


class MariaDb:
    """MariaDB: all clients update one row."""
    tools, packages = ["mariadbd", "mariadb", "mariadb-install-db"], ["mariadb-server"]
    answer = "connections wait for a row that another one has locked, which sleeps in SLEEP()"
    must = [r"waited .* for a MariaDB row lock \(handler::ha_index_read_map\), held by another mariadbd \d+ %: in futex \(Interruptible_wait"]
    must_not = []

    def __call__(self, scene):
        os.chmod(scene.folder, 0o777)
        data, sock = scene.path("db"), scene.path("s")
        scene.run("mariadb-install-db", f"--datadir={data}", "--user=mysql", "--skip-test-db")
        server = scene.start("mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={sock}",
                             "--skip-networking", "--user=mysql", f"--pid-file={scene.path('p')}")
        until(lambda: os.path.exists(sock), "mariadbd")
        scene.run("mariadb", "-S", sock, "-e", "CREATE DATABASE b; CREATE TABLE b.t (id INT PRIMARY KEY, n INT); "
                  "INSERT INTO b.t VALUES (1, 0)")
        script = scene.write("hot.sql", "START TRANSACTION; UPDATE b.t SET n = n + 1 WHERE id = 1; DO SLEEP(0.005); COMMIT;\n" * 5000)
        for _ in range(6):
            scene.start("mariadb", "-S", sock, stdin=open(script))
        time.sleep(0.5)
        return scene.record("-p", server.pid, seconds=3)


class Memcached:
    """memcached, asked by a client that thinks."""
    tools, packages = ["memcached"], ["memcached"]
    answer = "memcached waits for its client"
    must = [r"in epoll_wait.*(for|:) python3 \d+ %: running"]
    must_not = []

    def __call__(self, scene):
        port = free_port()
        server = scene.start("memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", port)
        until(lambda: listens(port), "memcached")
        script = scene.write("client.py", f"""
import socket
s = socket.create_connection(("127.0.0.1", {port}))
while True:
    s.sendall(b"get a\\r\\n"); s.recv(100); sum(range(30000))
""")
        scene.start(PYTHON, script)
        time.sleep(0.3)
        return scene.record("-p", server.pid, seconds=2)


class Chromium:
    """Chromium that shows a page that does nothing."""
    tools, packages = ["chromium"], ["chromium"]
    answer = "nothing: its pools are parked"
    must = [r"idle|little was done"]
    must_not = []

    def __call__(self, scene):
        page = scene.write("page.html", "<h1>nothing</h1>")
        scene.start("chromium", "--headless", "--no-sandbox", "--disable-gpu",
                    f"--user-data-dir={scene.path('profile')}", "--remote-debugging-port=0", f"file://{page}")
        time.sleep(5)
        return scene.record("-n", "*hrom*", seconds=2)


class Frozen:
    """A process whose cgroup is frozen."""
    tools, packages = ["sh"], []
    answer = "it is frozen"
    must = [r"was frozen for"]
    must_not = ["idle;"]

    def __call__(self, scene):
        root = next((path for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                     if os.path.exists(f"{path}/cgroup.controllers")), None)
        own = None
        if root is None:
            root = scene.path("cgroup")
            os.mkdir(root)
            subprocess.run(["mount", "-t", "cgroup2", "none", root], check=True)
            scene.stack.callback(subprocess.run, ["umount", root], check=False)
        own = f"{root}/dwell-frozen"
        os.mkdir(own)
        scene.stack.callback(os.rmdir, own)
        process = scene.start("sh", "-c", "while :; do :; done")
        scene.stack.callback(lambda: (open(f"{own}/cgroup.freeze", "w").write("0"), time.sleep(0.2),
                                      scene.stop(process), time.sleep(0.2)))
        with open(f"{own}/cgroup.procs", "w") as file:
            file.write(str(process.pid))
        time.sleep(0.2)
        with open(f"{own}/cgroup.freeze", "w") as file:
            file.write("1")
        time.sleep(0.2)
        return scene.record("-p", process.pid, seconds=1)


SITUATIONS = [PostgresHotRow(), PostgresTpcB(), RedisAof(), NginxSlowBackend(), NodeExecSync(), JavaMonitor(),
              GoChannels(), Fio(), MariaDb(), Memcached(), Chromium(), Frozen(), SleepyCpus()]
