# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""Every row of the unwind tables is what readelf makes of the same call frame information: for the
libraries that are in every stack, for the biggest one there is, and for a sample of all others.
`tests/cfi/compare.py build/plain/tests/cfi/cfi_rows /usr/lib /usr/bin` compares all of them."""
import hashlib

from lib import *

sys.path.insert(0, os.path.join(TOP, "tests/cfi"))
from compare import compare_all, elf_files

TOOL = os.path.join(TOP, "build/plain/tests/cfi/cfi_rows")
ALWAYS = ("/usr/lib/*/libc.so.6", "/usr/lib/*/ld-linux-x86-64.so.2", "/usr/lib/*/libstdc++.so.6",
          "/usr/lib/*/libcrypto.so.3", "/usr/bin/python3.?*", "/usr/bin/bash")
SAMPLED = 60
SMALL_BYTES = 1 << 20
MOST_BIG_BYTES = 130 << 20


def size(path):
    return os.path.getsize(path)


def sample(paths):
    """Always the same ones on the same machine, spread over all."""
    return sorted(paths, key=lambda path: hashlib.sha1(path.encode()).digest())[:SAMPLED]


def build(name, *flags):
    """A program whose functions are described in .debug_frame alone; crt1.o's have both."""
    with open("some.c", "w", encoding="utf-8") as file:
        for i in range(50):
            file.write(f"int f{i}(char *); int g{i}(int n) {{ char a[n + {i}]; return f{i}(a); }}\n")
            file.write(f"int f{i}(char *a) {{ return *a; }}\n")
        file.write("int main(int argc, char **argv) { return g1(argc) + !argv; }\n")
    subprocess.run(["gcc", "-O1", "-g", "-fno-asynchronous-unwind-tables", *flags, "some.c", "-o",
                    name], check=True)
    return os.path.abspath(name)


need_tool("readelf")
need_tool("gcc")
if os.uname().machine != "x86_64":
    skip("tables are read for x86-64 only", is_optional=True)
if not os.access(TOOL, os.X_OK):
    skip(f"{TOOL} is not built")

everything = list(elf_files(["/usr/lib/x86_64-linux-gnu", "/usr/bin"]))
chosen = {os.path.realpath(path) for pattern in ALWAYS for path in glob.glob(pattern)}
chosen = {path for path in chosen if open(path, "rb").read(4) == b"\x7fELF"}
assert len(chosen) >= 4, chosen
chosen.add(max((path for path in everything if size(path) < MOST_BIG_BYTES), key=size))
chosen.update(sample([path for path in everything if size(path) < SMALL_BYTES]))
debug_only = [build("plain"), build("zlib", "-gz=zlib")]
for path in debug_only:
    rows = subprocess.run([TOOL, path], check=True, capture_output=True, text=True).stdout
    assert rows.count(" fp 16 cfa -16") >= 50, rows

words = []
total = compare_all(TOOL, sorted(chosen, key=size, reverse=True) + debug_only, os.cpu_count(), words.append)
print(dict(total))
assert not words, "\n".join(words)
assert total["objects"] >= 20 and total["rows"] > 100_000, total
assert total["without"] < total["objects"] / 4, total
