# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell with file capabilities shows an ordinary user no line of a file that is not theirs to read,
and root none that a process had no right to: a file of root's that a process has mounted as its
perf map is not taken for one."""
from lib import *

need_root()
need_tool("setcap")
NOBODY = 65534
CAPABILITIES = ("cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_dac_read_search,"
                "cap_checkpoint_restore+ep")

os.chmod(TEMP, 0o755)
with open("secret", "w") as file:
    file.write("0 ffffffffffff my_secret_line\n")
os.chmod("secret", 0o600)
with open("open", "w") as file:
    file.write("0 ffffffffffff my_own_line\n")
os.chown("open", NOBODY, NOBODY)
os.mkdir("out")
os.chown("out", NOBODY, NOBODY)
shutil.copy(DWELL, "capable")
run("setcap", CAPABILITIES, "capable")


def as_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def names(path, *tool, **options):
    hostile = background(workload("hostile"), "map", os.path.abspath(path), stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True, preexec_fn=as_nobody)
    pid = json.loads(hostile.stdout.readline())["pid"]
    run(*tool, "record", "-p", pid, "-d", "1s", "-o", "out/names.dwell", **options)
    kill_group(hostile)
    text = dwell("flame", "-f", "out/names.dwell").stdout
    check("nap" in text, f"no stack of it: {text}")
    os.unlink("out/names.dwell")
    return text


text = names("open", DWELL)
check("my_own_line" in text, f"its own file does not name its code: {text}")
check("my_secret_line" not in names("secret", DWELL), "root was shown what a process had mounted")
text = names("secret", os.path.abspath("capable"), preexec_fn=as_nobody)
check("my_secret_line" not in text, "a user was shown a line of root's file")
