# SPDX-License-Identifier: GPL-2.0-or-later
"""The file system of the emulated machine: an initial RAM file system with the tests, the static
dwell, the workloads, and what of this machine they need: Python, a shell and some tools, with the
libraries that ldd names. Files keep their paths and times (Python's compiled modules depend on
those); symbolic links on the way to a file are kept as links."""
import glob
import json
import os
import re
import shutil
import stat
import subprocess

from packages import Unavailable

# Where the source tree is in the emulated machine.
GUEST_TOP = "/dwell"
TOOLS = ("sh", "sleep", "true", "touch", "head", "mount", "umount", "unshare", "stty", "bpftool",
         "perf", "stress-ng", "offcputime")
# Parts of Python's library that no test imports; the rest is a third of the size.
UNUSED_MODULES = {"test", "idlelib", "tkinter", "lib2to3", "ensurepip", "distutils", "turtledemo",
                  "pydoc_data", "unittest", "site-packages", "dist-packages", "asyncio", "xml",
                  "wsgiref", "venv"}
FACTS = "import json, sys, sysconfig; print(json.dumps([sys.executable, " \
        "sysconfig.get_path('stdlib'), sysconfig.get_config_var('DESTSHARED')]))"


class Archive:
    """A cpio archive in the "newc" format, the kernel's Documentation/driver-api/early-userspace/
    buffer-format.rst. What was added once is not added again."""

    def __init__(self, file):
        self.file = file
        self.names = {"/"}

    def add(self, name, mode, data=b"", mtime=0):
        self.add_folders(os.path.dirname(name))
        if name not in self.names:
            self.names.add(name)
            self._write(name, mode, data, mtime)

    def add_folders(self, name):
        if name not in self.names:
            self.add(name, stat.S_IFDIR | 0o755)

    def close(self):
        self._write("/TRAILER!!!", 0, b"", 0)

    def _write(self, name, mode, data, mtime):
        path = name[1:].encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, mtime, len(data), 0, 0, 0, 0, len(path), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self.file.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))


class Image:
    """Host files at their own paths, with all they need to run."""

    def __init__(self, archive):
        self.archive = archive

    def add_file(self, path):
        """A file and each symbolic link on the way to it."""
        path = self.add_links(path)
        if path not in self.archive.names:
            self.copy(path, path)

    def copy(self, path, name):
        with open(path, "rb") as file:
            info = os.fstat(file.fileno())
            self.archive.add(name, info.st_mode, file.read(), int(info.st_mtime))

    def add_program(self, path):
        self.add_file(path)
        self.add_libraries(path)

    def add_libraries(self, path):
        listed = subprocess.run(["ldd", path], text=True, capture_output=True).stdout
        for library in re.findall(r"(/\S+) \(0x", listed):
            self.add_file(library)

    def add_links(self, path):
        """The path behind all links."""
        done = "/"
        for part in path.strip("/").split("/"):
            step = os.path.join(done, part)
            if os.path.islink(step):
                target = os.readlink(step)
                self.archive.add(step, stat.S_IFLNK | 0o777, target.encode())
                step = self.add_links(os.path.normpath(os.path.join(done, target)))
            done = step
        return done


def write_image(path, top, cases):
    """An image that runs these cases, by name, in order."""
    with open(path + ".new", "wb") as file:
        archive = Archive(file)
        image = Image(archive)
        add_tree(image, top)
        archive.add(f"{GUEST_TOP}/cases", stat.S_IFREG | 0o644, "\n".join(cases).encode())
        add_base(image)
        add_python(image)
        for tool in TOOLS:
            found = shutil.which(tool, path="/usr/bin:/bin:/usr/sbin:/sbin")
            if not found:
                raise Unavailable(f"{tool} is not installed")
            image.add_program(found)
        archive.close()
    os.rename(path + ".new", path)


def add_base(image):
    for name in ("/bin", "/sbin", "/lib", "/lib64"):
        image.add_links(name)
    archive = image.archive
    for name in ("/proc", "/sys", "/dev", "/tmp", "/run", "/root"):
        archive.add_folders(name)
    archive.add("/etc/passwd", stat.S_IFREG | 0o644,
                b"root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    archive.add("/etc/group", stat.S_IFREG | 0o644, b"root:x:0:\nnogroup:x:65534:\n")


def add_tree(image, top):
    """The tests and what they look at. The dwell under test is the static one."""
    here = os.path.join(top, "tests/kernels")
    image.copy(os.path.join(here, "init"), "/init")
    program = os.path.join(top, "build/static/dwell")
    if not os.path.exists(program):
        raise Unavailable("build/static/dwell is not built: make STATIC=1 build/static/dwell")
    image.copy(program, f"{GUEST_TOP}/dwell")
    for pattern in ("tests/runner/*.py", "tests/kernels/*.py", "tests/e2e/*.py", "man/*.[1-8]",
                    "build/workloads/*"):
        for path in sorted(glob.glob(os.path.join(top, pattern))):
            image.copy(path, os.path.join(GUEST_TOP, os.path.relpath(path, top)))
            if pattern.startswith("build"):
                image.add_libraries(path)


def add_python(image):
    """Debian's Python by preference: others may lean on more than ldd can see."""
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else shutil.which("python3")
    facts = subprocess.run([python, "-c", FACTS], text=True, capture_output=True, check=True)
    executable, library, extensions = json.loads(facts.stdout)
    image.add_program(executable)
    image.archive.add("/usr/bin/python3", stat.S_IFLNK | 0o777, executable.encode())
    for folder, folders, files in os.walk(library):
        folders[:] = [name for name in sorted(folders)
                      if name not in UNUSED_MODULES and not name.startswith("config-")]
        for name in sorted(files):
            image.add_file(os.path.join(folder, name))
    for path in sorted(glob.glob(os.path.join(extensions, "*.so"))):
        image.add_program(path)
