# SPDX-License-Identifier: GPL-2.0-or-later
"""`make install` below DESTDIR: the program, its man pages, and completion where shells look."""
from lib import *

need_tool("make")
run("make", "-C", TOP, "install", f"DESTDIR={TEMP}", "PREFIX=/usr")
check(run("usr/bin/dwell", "--version").stdout.startswith("dwell "), "the program")
for page in glob.glob(os.path.join(TOP, "man/*.[1-8]")):
    name = os.path.basename(page)
    check(os.path.exists(f"usr/share/man/man{name[-1]}/{name}"), name)
for shell, path in (("bash", "bash-completion/completions/dwell"), ("zsh", "zsh/site-functions/_dwell"),
                    ("fish", "fish/vendor_completions.d/dwell.fish")):
    with open(os.path.join("usr/share", path)) as file:
        check(file.read() == dwell("completion", shell).stdout, path)
found = [os.path.join(folder, name) for folder, _, names in os.walk("usr") for name in names]
check(len(found) == 4 + len(glob.glob(os.path.join(TOP, "man/*.[1-8]"))), f"nothing else: {found}")
