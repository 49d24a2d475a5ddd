# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""A real Java program: with -XX:+PreserveFramePointer the stacks of its threads are complete,
without it none that goes through Java is called so."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

PROGRAM = """
public class Locks {
    static final Object lock = new Object();
    static long sum;
    static void handle(int n) { synchronized (lock) { for (int i = 0; i < 20000; i++) sum += i * (long) n; } }
    static void request(int n) throws Exception { handle(n); if (n % 16 == 0) Thread.sleep(1); }
    static void serve() { try { for (int i = 0;; i++) request(i); } catch (Exception e) { } }
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 4; i++) new Thread(Locks::serve, "worker").start();
        System.out.println("{}");
    }
}
"""
need_root()
if not shutil.which("javac"):
    skip("javac is not installed: apt-get install openjdk-17-jdk-headless", is_optional=True)
with open("Locks.java", "w") as file:
    file.write(PROGRAM)
run("javac", "Locks.java", timeout=200)
for option, least, most in (("-", 0, 0.01), ("+", 0.98, 1)):
    process = background("java", f"-XX:{option}PreserveFramePointer", "-cp", ".", "Locks",
                         stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    # Until the methods are compiled.
    time.sleep(3)
    recording = record("-p", process.pid, "-d", "2")
    kill_group(process)
    ends = dict(recording.rows("""
        SELECT w.word, sum(s.ns) FROM all_sums s JOIN threads t ON t.id = s.thread
        JOIN stacks k ON k.id = s.user_stack
        JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end
        WHERE t.comm = 'worker' GROUP BY 1"""))
    print(option, ends, flush=True)
    share = ends.get("complete", 0) / sum(ends.values())
    check(least <= share <= most, f"{option}PreserveFramePointer: {ends}")
