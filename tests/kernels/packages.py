# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's cloud kernels, fetched as packages into a folder that serves as a cache. A kernel is
named by its series ("6.1") and another flavour if it has one ("6.1-rt"); the newest package of the
series that apt knows is taken, or the newest one in the cache where apt knows none."""
import glob
import os
import platform
import re
import subprocess
import tarfile


class Unavailable(Exception):
    """This machine cannot have it; the text says why."""


def kernel_image(series, folder):
    """The path of an unpacked kernel of this series."""
    if platform.machine() != "x86_64":
        raise Unavailable("optional: the kernels to emulate are those of x86-64")
    os.makedirs(folder, exist_ok=True)
    names = known_packages(series) or refreshed_packages(series)
    if names:
        return unpack(cached_package(names[-1], folder) or fetch(names[-1], folder))
    number, flavour = series_parts(series)
    pattern = os.path.join(folder, f"linux-image-{number}.*-{flavour}-amd64_*.deb")
    cached = by_version(glob.glob(pattern))
    if cached:
        return unpack(cached[-1])
    raise Unavailable(f"apt knows no linux-image-{number}.*-{flavour}-amd64")


def series_parts(series):
    """Its number and its flavour."""
    number, _, flavour = series.partition("-")
    return number, flavour or "cloud"


def by_version(names):
    return sorted(names, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])


def known_packages(series):
    number, flavour = series_parts(series)
    listed = run_tool("apt-cache", "pkgnames", f"linux-image-{number}.")
    wanted = re.compile(rf"linux-image-{re.escape(number)}\.[^-]*(-\d+)?-{flavour}-amd64")
    return by_version(name for name in listed.stdout.split() if wanted.fullmatch(name))


def refreshed_packages(series):
    """On a fresh machine apt has no lists yet."""
    run_tool(*([] if os.getuid() == 0 else ["sudo", "-n"]), "apt-get", "update", "-qq")
    return known_packages(series)


def cached_package(name, folder):
    return next(iter(by_version(glob.glob(os.path.join(folder, f"{name}_*.deb")))[-1:]), None)


def fetch(name, folder):
    result = run_tool("apt-get", "download", "-qq", name, cwd=folder)
    path = cached_package(name, folder)
    if result.returncode or not path:
        raise Unavailable(f"apt-get download {name}: {result.stderr.strip()}")
    return path


def unpack(package):
    """Only the kernel itself is taken out, next to the package."""
    image = package[:-len(".deb")] + ".vmlinuz"
    if os.path.exists(image):
        return image
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package],
                          stdout=subprocess.PIPE) as unpacker:
        with tarfile.open(fileobj=unpacker.stdout, mode="r|") as archive:
            for member in archive:
                if member.name.startswith("./boot/vmlinuz-"):
                    with open(image + ".new", "wb") as file:
                        file.write(archive.extractfile(member).read())
        unpacker.communicate()
    if unpacker.returncode or not os.path.exists(image + ".new"):
        raise Unavailable(f"no kernel in {package}")
    os.rename(image + ".new", image)
    return image


def run_tool(*argv, **options):
    try:
        return subprocess.run(argv, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              **options)
    except FileNotFoundError:
        raise Unavailable(f"{argv[0]} is not installed") from None
