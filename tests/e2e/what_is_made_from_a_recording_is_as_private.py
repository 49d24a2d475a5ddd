# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages, pictures and folded stacks can be read by those who can read the recording, less the umask;
a redacted page is for sharing."""
import stat
from lib import *

os.umask(0o022)
with open("a.folded", "w") as file:
    file.write("main;work 10\nmain;sleep 30\n")
dwell("import", "--as", "blocked", "a.folded", "-o", "a.dwell")
shutil.copy("a.dwell", "b.dwell")
check(stat.S_IMODE(os.stat("a.dwell").st_mode) == 0o600, "the recording is not private")
os.chmod("b.dwell", 0o644)


MADE = ((("html", "a.dwell"), "a.html"), (("flame", "a.dwell", "--cp"), "a.svg"),
        (("flame", "a.dwell"), "out.folded"), (("diff", "a.dwell", "b.dwell"), "ab.svg"),
        (("diff", "b.dwell", "a.dwell"), "ba.svg"))


def modes():
    """Of everything that is made from the recording, where a file that all could read was before."""
    for args, name in MADE:
        with open(name, "w") as file:
            os.fchmod(file.fileno(), 0o644)
        dwell(*args, "-o", name)
    return {name: stat.S_IMODE(os.stat(name).st_mode)
            for name in ("palette.map", *(name for _, name in MADE))}


def check_modes(mode):
    got = modes()
    check(set(got.values()) == {mode}, f"not {mode:o}: " + str({k: oct(v) for k, v in got.items()}))


check_modes(0o600)
for recording, wanted in ((0o640, 0o640), (0o644, 0o644), (0o666, 0o644), (0o400, 0o600)):
    os.chmod("a.dwell", recording)
    check_modes(wanted)
os.chmod("a.dwell", 0o644)
os.umask(0o077)
check_modes(0o600)
os.umask(0o022)

# Text of other tools, too, as far as it is a file.
os.chmod("a.folded", 0o600)
dwell("flame", "a.folded", "-o", "text.svg")
check(stat.S_IMODE(os.stat("text.svg").st_mode) == 0o600, "text that was private")

os.chmod("a.dwell", 0o600)
dwell("html", "--redact", "a.dwell", "-o", "share.html")
check(stat.S_IMODE(os.stat("share.html").st_mode) == 0o644, "a redacted page is for all")

if os.getuid() == 0:
    # The group's right is for the recording's group.
    os.chmod("a.dwell", 0o640)
    os.chown("a.dwell", 0, 65534)
    dwell("html", "a.dwell", "-o", "a.html")
    check(stat.S_IMODE(os.stat("a.html").st_mode) == 0o600, "a page for another group")
    dwell("--", "true", env=dict(os.environ, SUDO_UID="65534", SUDO_GID="65533"))
    for name in ("last.dwell", "dwell.html"):
        info = os.stat(name)
        check((info.st_uid, info.st_gid) == (65534, 65533), f"{name} of {info.st_uid}")
        check(stat.S_IMODE(info.st_mode) == 0o600, f"{name} has mode {info.st_mode:o}")
