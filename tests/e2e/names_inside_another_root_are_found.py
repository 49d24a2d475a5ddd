# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
"""Programs and libraries that exist only inside a mount namespace or a chroot: from outside, by pid
and looking at everything, and from inside, functions have their names and processes their program;
exit statuses and process numbers are those of where dwell runs."""
from jail import *

# They nap until the case ends them.
NAPS, NAP_MS = 100_000, 5
# On a slow machine a process of 100 ms is half over before its unwind tables are there.
LEAST_NAMED = 0.95 if SLOW == 1 else 0.5
need_root()
need_tool("unshare")
need_tool("mount")


def check_named(where, recording, pid, program):
    """The one thread of the sleeper is there, with its program and its functions. What /proc tells
    about a chroot is the path from outside."""
    check_books(recording)
    threads = [t for t in recording.of_process(pid) if t["comm"] == "sleeper-0"]
    check(len(threads) == 1, f"{where}: {recording.of_process(pid)}")
    check(threads[0]["exe"].endswith(program), f"{where}: {threads[0]['exe']}, not {program}")
    stacks = recording.folded("offcpu", "--by", "thread")
    mine = {s: ns for s, ns in stacks.items() if s[0].endswith(f"/{threads[0]['tid']}")}
    named, naps = weight(mine, "take_nap", "hrtimer_nanosleep"), weight(mine, "hrtimer_nanosleep")
    check(named >= LEAST_NAMED * naps > 0, f"{where}: {list(mine)[:3]}")
    objects = {path for path, in recording.rows("SELECT path FROM objects")}
    check(any(path.endswith(program) for path in objects), f"{where}: {program} not in {objects}")


def look_from_outside(where, pid, program):
    check(not os.path.exists(program), f"{program} exists outside")
    check_named(f"{where}, by pid", record("-p", pid, "-d", "1s"), pid, program)
    check_named(f"{where}, all", record("-a", "-d", "1s"), pid, program)


def sleeper_below(process):
    """The pid of the sleeper that a process became or started."""
    found = []

    def look():
        for path in glob.glob("/proc/[0-9]*/task/*/comm"):
            try:
                with open(path) as file:
                    name = file.read().strip()
                with open(path.rsplit("/task/", 1)[0] + "/stat") as file:
                    session = int(file.read().rsplit(")", 1)[1].split()[3])
            except OSError:
                continue
            if name == "sleeper-0" and session == process.pid:
                found.append(int(path.split("/")[2]))
        return found

    wait_until(look, "the sleeper")
    return found[0]


# A file system that is mounted in the namespace only, and a pid namespace besides.
hidden = os.path.abspath("hidden")
os.mkdir(hidden)
inside = f"{hidden}/only-here"
copy = f"import shutil; shutil.copy('{workload('sleeper')}', '{inside}')"
setup = f'mount -t tmpfs none {hidden} && {sys.executable} -c "{copy}" && '
process = background("unshare", "--pid", "--mount", "--fork", "--mount-proc", "sh", "-c",
                     setup + f"exec {inside} {NAPS} {NAP_MS}")
look_from_outside("mount namespace", sleeper_below(process), inside)
# One object is one file, wherever copies of it are.
kill_group(process)

# A root of its own, with its own copies of the libraries.
process = background(*in_jail(make_jail("sleeper"), "/jailed-sleeper", NAPS, NAP_MS))
look_from_outside("chroot", sleeper_below(process), "/jailed-sleeper")

let_tables_come()
# From inside: the namespace's own numbers, the command's status, the same names.
script = (setup + f"{{ {inside} {NAPS} {NAP_MS} & sleep 1; }} && "
          f"{DWELL} record -p $! -d 1s -o pid.dwell && {DWELL} record -a -d 1s -o all.dwell && "
          f"echo $! && {DWELL} record -o command.dwell -- {inside} 20 {NAP_MS} > command.json && "
          f"{DWELL} record -o status.dwell -- sh -c 'exit 42'")
result = run("unshare", "--pid", "--mount", "--fork", "--mount-proc", "sh", "-c", script, status=42)
pid = int(result.stdout.split()[0])
check(pid < 100, f"pid {pid} in a new namespace")
for path in ("pid.dwell", "all.dwell"):
    check_named(f"inside, {path}", Recording(path), pid, inside)
recording = Recording("command.dwell")
with open("command.json") as file:
    log = json.load(file)
check(log["pid"] < 200, f"{log}")
check_named("inside, command", recording, log["pid"], inside)
check({t["pid"] for t in recording.threads} == {log["pid"]}, f"{recording.threads}")
