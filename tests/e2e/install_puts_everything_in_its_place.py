# SPDX-License-Identifier: GPL-2.0-or-later
"""`make install` below DESTDIR: the program and its man pages."""
from lib import *

need_tool("make")
run("make", "-C", TOP, "install", f"DESTDIR={TEMP}", "PREFIX=/usr")
check(run("usr/bin/dwell", "--version").stdout.startswith("dwell "), "the program")
for page in glob.glob(os.path.join(TOP, "man/*.[1-8]")):
    name = os.path.basename(page)
    check(os.path.exists(f"usr/share/man/man{name[-1]}/{name}"), name)
