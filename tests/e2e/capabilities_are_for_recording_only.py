# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell with the file capabilities that recording wants shows an ordinary user no recording, and no
text, of somebody else's: looking is done with the rights of who looks."""
from lib import *

need_root()
need_tool("setcap")
NOBODY = dict(user=65534, group=65534, extra_groups=[])
os.chmod(TEMP, 0o755)
with open("secret.folded", "w") as file:
    file.write("my_secret;frame 10\n")
os.chmod("secret.folded", 0o600)
dwell("import", "--as", "blocked", "secret.folded", "-o", "secret.dwell")
os.mkdir("out")
os.chown("out", 65534, 65534)
shutil.copy(DWELL, "capable")
run("setcap", "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_dac_read_search+ep", "capable")

for args in (("report", "secret.dwell"), ("flame", "-f", "secret.dwell"),
             ("flame", "-f", "secret.folded"), ("html", "secret.dwell", "-o", "out/a.html"),
             ("diff", "secret.dwell", "secret.dwell"),
             ("import", "secret.folded", "-o", "out/a.dwell")):
    result = run("./capable", *args, status=2, **NOBODY)
    check_one_line_error(result, "Permission denied")
    check("my_secret" not in result.stdout, f"{args}: {result.stdout}")
check(os.listdir("out") == [], f"{os.listdir('out')}")
# Recording still has them, and so has the way from recording to the report.
result = run(os.path.abspath("capable"), "--", "sleep", "0.2", cwd="out", **NOBODY)
check("sleep" in result.stdout, f"no report: {result.stdout}{result.stderr}")
