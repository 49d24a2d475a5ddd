# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads both CPUs
"""Every function name that is recorded for real programs (bash, python, perl, git, node with its
JIT compiler, C++ and Rust programs, stripped ones with their symbols elsewhere, one in a chroot) is
what gdb and elfutils say about the same address.

What is compared is where the function begins; the name itself has to be one of those that the file
has for that place, because which of several aliases (poll, __poll) is shown is a matter of taste.
An address that gdb or elfutils put into a symbol without a size, or beyond its end, is not judged:
that is how these tools guess. Frames may be return addresses, which belong to the byte before."""
import re

from lib import *


C_SOURCE = """
#include <time.h>
static volatile unsigned long sink;
static __attribute__((noinline)) void c_burn(void) { for (int i = 0; i < 5000000; i++) sink += i; }
static __attribute__((noinline)) void c_sleep(void)
{ nanosleep(&(struct timespec){0, 20000000}, 0); sink++; }
__attribute__((noinline)) void c_work(void) { c_burn(); c_sleep(); sink++; }
int main(void) { for (int i = 0; i < 60; i++) c_work(); return 0; }
"""

CPP_SOURCE = """
#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>
namespace {
template <typename T> struct Mill {
    std::map<std::string, T> ground;
    __attribute__((noinline)) void grind(const std::vector<T> &grain) {
        for (const T &corn : grain) ground[std::to_string(corn % 997)] += corn;
    }
};
}
namespace shop { __attribute__((noinline)) long sort(std::vector<long> &all) {
    std::sort(all.begin(), all.end(),
        [](long a, long b) { return a * 7919 % 1009 < b * 7919 % 1009; });
    return all[0]; } }
int main() {
    Mill<long> mill;
    long sum = 0;
    for (int i = 0; i < 25; i++) {
        std::vector<long> grain(20000);
        for (size_t k = 0; k < grain.size(); k++) grain[k] = (k * 2654435761u) % 100003;
        mill.grind(grain);
        sum += shop::sort(grain);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return sum == 42;
}
"""

RUST_SOURCE = """
use std::collections::BTreeMap;
use std::time::Duration;
trait Grinder { fn grind(&mut self, grain: &[u64]) -> u64; }
struct Mill { ground: BTreeMap<String, u64> }
impl Grinder for Mill {
    #[inline(never)]
    fn grind(&mut self, grain: &[u64]) -> u64 {
        for corn in grain { *self.ground.entry(format!("{}", corn % 997)).or_insert(0) += corn; }
        self.ground.len() as u64
    }
}
#[inline(never)]
fn sort_all(all: &mut Vec<u64>) -> u64 { all.sort_by_key(|a| a * 7919 % 1009); all[0] }
fn main() {
    let mut mill = Mill { ground: BTreeMap::new() };
    let mut sum = 0u64;
    for _ in 0..25 {
        let mut grain: Vec<u64> = (0..20000u64).map(|k| k * 2654435761 % 100003).collect();
        sum += mill.grind(&grain) + sort_all(&mut grain);
        std::thread::sleep(Duration::from_millis(10));
    }
    if sum == 42 { println!("{}", sum); }
}
"""

JS = ("function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }"
      "const end = Date.now() + 1500; while (Date.now() < end) fib(22)")
ROOT = os.path.join(TEMP, "root")


def build(name, source, *compiler):
    """Builds a program from its source text."""
    suffix = {"g++": "cpp", "gcc": "c", "rustc": "rs"}[compiler[0]]
    with open(f"{name}.{suffix}", "w") as file:
        file.write(source)
    # The same source would give the same build-id: one object.
    options = [] if suffix == "rs" else ["-O1", "-fno-omit-frame-pointer",
                                         f"-Wl,--build-id=0x{os.fsencode(name).hex():0>40}"]
    run(*compiler, *options, f"{name}.{suffix}", "-o", name)
    return os.path.abspath(name)


def build_id(path):
    found = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path).stdout)
    return found.group(1) if found else ""


def keep_debug(path, place):
    """Takes the symbols of a program to another place; returns what it was when whole."""
    shutil.copy(path, path + ".whole")
    os.makedirs(os.path.dirname(place), exist_ok=True)
    run("objcopy", "--only-keep-debug", path, place)
    run("strip", path)
    return path + ".whole"


def build_stripped():
    """One program three times: symbols by link, packed inside, and none at all."""
    wholes = {}
    for name in ("linked", "packed", "bare"):
        path = build(name, C_SOURCE, "gcc")
        debug = os.path.join(TEMP, f"{name}.debug")
        wholes[path] = keep_debug(path, debug)
        if name == "linked":
            run("objcopy", f"--add-gnu-debuglink={debug}", path)
            continue
        if name == "packed" and shutil.which("xz"):
            run("strip", "--strip-debug", debug)
            run("xz", "-k", debug)
            run("objcopy", "--add-section", f".gnu_debugdata={debug}.xz", path)
        os.unlink(debug)
    return wholes


def build_chroot():
    """A C++ program with its libraries and its debug file below a root of its own."""
    path = build("inner", CPP_SOURCE, "g++")
    number = build_id(path)
    whole = keep_debug(path, f"{ROOT}/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug")
    libraries = re.findall(r"(/\S+) \(0x", run("ldd", path).stdout)
    for file in libraries:
        os.makedirs(os.path.dirname(ROOT + file), exist_ok=True)
        shutil.copy(os.path.realpath(file), ROOT + file)
    os.makedirs(f"{ROOT}/opt", exist_ok=True)
    shutil.copy(path, f"{ROOT}/opt/inner")
    os.unlink(path)
    return {f"{ROOT}/opt/inner": whole}


def commands():
    """What runs, and the files that still have the symbols of those that were stripped."""
    wholes = build_stripped()
    lines = list(wholes)
    wholes.update(build_chroot())
    lines.append(f"chroot {ROOT} /opt/inner")
    lines.append(build("plain", CPP_SOURCE, "g++"))
    if shutil.which("rustc"):
        lines.append(build("rusty", RUST_SOURCE, "rustc", "-O", "-Cforce-frame-pointers=yes"))
    else:
        print("no rustc: Rust names are not tested", flush=True)
    with open("large", "wb") as file:
        file.write(os.urandom(1 << 20) * 64)
    lines += ["bash -c 'for ((i = 0; i < 60000; i++)); do x=\"${x:0:50}$i\"; done; sleep 0.1'",
              "/usr/bin/python3 -c 'import time; sorted(str(i) * 3 for i in range(600000)); "
              "time.sleep(0.1)'",
              "perl -e '$h{$_ % 977} .= $_ for 1 .. 1200000; select(undef, undef, undef, 0.1)'",
              "git hash-object large"]
    if shutil.which("node"):
        lines.append(f"node --perf-basic-prof -e '{JS}'")
    else:
        print("no node: names of a JIT compiler are not tested", flush=True)
    return lines, wholes


class Judge:
    """What is known about one file from others: its symbols, and what tools say of addresses."""

    def __init__(self, path):
        self.path = path
        self.symbols = {}
        number = build_id(path)
        debug = f"/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
        for file in (path, debug):
            if os.path.exists(file):
                self.read_symbols(file)
        frames = run("readelf", "--debug-dump=frames", path, status=None).stdout
        self.starts = {int(start, 16) for start in re.findall(r"FDE .* pc=([0-9a-f]+)\.", frames)}

    def read_symbols(self, path):
        for line in run("readelf", "-sW", path, status=None).stdout.splitlines():
            words = line.split()
            if len(words) < 8 or not words[0][:-1].isdigit() or words[6] == "UND":
                continue
            name = words[7].split("@")[0]
            self.symbols.setdefault(int(words[1], 16), []).append((int(words[2], 0), name))

    def sized(self, start, address):
        """Does a symbol that begins there cover the address?"""
        return any(address < start + size for size, _ in self.symbols.get(start, []))

    def ask_elfutils(self, addresses):
        result = run("eu-addr2line", "-S", "-e", self.path, stdin=words_file(map(hex, addresses)))
        for address, line in zip(addresses, result.stdout.splitlines()[::2]):
            found = re.match(r"([^(].*?)(?:\+0x([0-9a-f]+))?$", line)
            if found and found.group(1) != "??":
                yield address, address - int(found.group(2) or "0", 16), found.group(1)

    def ask_gdb(self, addresses):
        script = os.path.join(TEMP, "gdb.script")
        with open(script, "w") as file:
            file.writelines(f"info symbol {address:#x}\n" for address in addresses)
        result = run("gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-iex",
                     "set print demangle off", "-x", script, self.path)
        lines = [line for line in result.stdout.splitlines()
                 if " in section " in line or line.startswith("No symbol matches")]
        check(len(lines) == len(addresses), f"gdb: {len(lines)} answers to {len(addresses)}")
        for address, line in zip(addresses, lines):
            found = re.match(r"(.+?)(?: \+ (\d+))? in section ", line)
            if found:
                yield address, address - int(found.group(2) or 0), found.group(1)

    def verdicts(self, addresses):
        """{address: {starts of functions that a tool names and that cover it}}"""
        found = {}
        for ask in (self.ask_elfutils, self.ask_gdb):
            for address, start, _ in ask(addresses):
                if self.sized(start, address):
                    found.setdefault(address, set()).add(start)
        return found


def words_file(words):
    with open(os.path.join(TEMP, "words"), "w") as file:
        file.writelines(word + "\n" for word in words)
    return open(os.path.join(TEMP, "words"))


def demangle(names):
    """{raw name: name as it should be shown}, with binutils' demangler; suffixes stay."""
    parts = {}
    for name in names:
        rust = re.match(r"(_ZN.*17h[0-9a-f]{16}E)(.*)", name)
        base, suffix = rust.groups() if rust else re.match(r"([^.]*)(.*)", name).groups()
        parts[name] = (base, re.sub(r"^\.llvm\.\d+", "", suffix))
    bases = sorted({base for base, _ in parts.values()})
    shown = run("c++filt", "-p", "-i", stdin=words_file(bases)).stdout.splitlines()
    shown = dict(zip(bases, shown))
    return {name: shown[base] + suffix if base[:2] in ("_Z", "_R") else name
            for name, (base, suffix) in parts.items()}


def compare_object(judge, frames, tally):
    """Judges the frames (address, name, offset) of one file."""
    asked = sorted({address - back for address, _, offset in frames for back in (0, 1, offset)})
    verdicts = judge.verdicts(asked)
    named = {name for start in {s for v in verdicts.values() for s in v}
             for _, name in judge.symbols[start]}
    shown = demangle(named)
    for address, name, offset in frames:
        # Of a function without a name the start is known, or nothing at all (offset 0).
        starts = set(verdicts.get(address if name else address - offset, ()))
        starts.update(verdicts.get(address - 1, ()) if name else ())
        if not starts:
            tally["unnamed"] += not name
            if name:
                tally["alone"].append((judge.path, hex(address), name, offset))
            continue
        # A return address behind a call that never returns is the start of the next function.
        if not name and not offset and address in starts:
            tally["ambiguous"] += 1
            continue
        names = {shown[raw] for start in starts if start == address - offset
                 for _, raw in judge.symbols[start]}
        if name in names:
            tally["agreed"] += 1
        else:
            tally["disagreed"].append((judge.path, hex(address), name, offset, sorted(
                (hex(start), judge.symbols[start]) for start in starts)))


def compare_files(recording, wholes):
    tally = {"agreed": 0, "unnamed": 0, "ambiguous": 0, "alone": [], "disagreed": []}
    by_path = {}
    for path, number, address, name, offset in recording.rows(
            "SELECT o.path, o.build_id, f.address, f.name, f.offset FROM frames f JOIN objects o "
            "ON o.id = f.object JOIN words w ON w.kind = 'object_kind' AND w.number = o.kind "
            "WHERE w.word = 'file'"):
        by_path.setdefault((path, number), []).append((address, name, offset))
    for (path, number), frames in sorted(by_path.items()):
        whole = wholes.get(path, path)
        if path.endswith("/bare"):
            check_starts(Judge(path), frames)
        # A package may be upgraded while it is used.
        elif os.path.exists(whole) and build_id(whole) == number:
            compare_object(Judge(whole), frames, tally)
    return tally, by_path


def check_starts(judge, frames):
    """A program without any symbols: frames know the starts of its functions; of the compiler's own
    code at its start and end, which no FDE describes, nothing (offset 0)."""
    starts = {address - offset for address, name, offset in frames if not name and offset}
    check(len(starts & judge.starts) >= 2, f"no starts of functions: {sorted(map(hex, starts))}")
    check(starts <= judge.starts, f"{sorted(map(hex, starts - judge.starts))} is no start")


def check_jit(recording, maps):
    lines = set()
    for path in maps:
        with open(path, errors="replace") as file:
            for line in file:
                start, _, name = line.rstrip("\n").split(" ", 2)
                lines.add((int(start, 16), name))
    found = recording.rows(
        "SELECT f.address, f.name, f.offset FROM frames f JOIN objects o ON o.id = f.object JOIN "
        "words w ON w.kind = 'object_kind' AND w.number = o.kind WHERE f.name <> '' AND "
        "w.word NOT IN ('kernel', 'module', 'file', 'vdso')")
    check(any("fib" in name for _, name, _ in found), f"no JIT name: {found[:5]}")
    for address, name, offset in found:
        check((address - offset, name) in lines, f"{name} is not at {address - offset:#x}")
    return len(found)


need_root()
for tool in ("gdb", "eu-addr2line", "g++", "objcopy", "readelf", "c++filt", "chroot"):
    need_tool(tool)
lines, wholes = commands()
known_maps = set(glob.glob("/tmp/perf-*.map"))
with open("all.sh", "w") as file:
    file.writelines(f"{line} >/dev/null &\n" for line in lines)
    file.write("wait\n")
recording = record("-F", "999", command=["sh", "all.sh"])
maps = set(glob.glob("/tmp/perf-*.map")) - known_maps
for path in maps:
    cleanup(lambda path=path: os.unlink(path))

tally, by_path = compare_files(recording, wholes)
judged = tally["agreed"] + len(tally["disagreed"])
print(f"{judged} frames judged, {len(tally['disagreed'])} differ; {len(tally['alone'])} named by "
      f"us alone, {tally['unnamed']} by nobody, {tally['ambiguous']} ambiguous", flush=True)
for word in ("disagreed", "alone"):
    for frame in tally[word]:
        print(f"  {word}:", *frame, flush=True)
check(judged >= 300, f"only {judged} frames could be judged")
check(tally["ambiguous"] <= judged // 50, f"{tally['ambiguous']} frames without a name")
check(len(tally["alone"]) <= judged // 100, "names that neither gdb nor elfutils knows")
check(len(tally["disagreed"]) <= judged // 1000, "more than one in a thousand names is wrong")
for path, wanted in (("/linked", "c_burn"), ("/packed", "c_burn"), ("/opt/inner", "shop::sort"),
                     ("/plain", "(anonymous namespace)::Mill<long>::grind"),
                     ("/rusty", "rusty::sort_all")):
    names = {name for (found, _), frames in by_path.items() if found.endswith(path)
             for _, name, _ in frames}
    is_built = any(line.endswith(path) for line in lines)
    check(wanted in names or not is_built, f"{path} has no {wanted}: {sorted(names)}")
if shutil.which("node"):
    print(f"{check_jit(recording, maps)} frames of a JIT compiler", flush=True)
