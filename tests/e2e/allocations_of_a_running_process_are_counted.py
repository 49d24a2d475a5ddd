# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because probes of functions and their returns differ by kernel
# timeout: 480
"""Of processes that run already each block that they get and give back is counted where they did, by each
way to get one, also in two processes at once: as many and as large as they say. What was there before is
no error. Who asks for blocks too often is refused with the figure, and unharmed if it is watched all the
same; so are programs in C++ that throw, whose operators are counted once, whatever allocator they have."""
import struct

from lib import *

need_root()
ROUNDS = 400 if SLOW == 1 else 100
ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")
NEWS = r"""
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <unistd.h>

#define SITE extern "C" __attribute__((noinline, noclone)) void
struct Object { long numbers[12]; };
struct alignas(128) Aligned { char bytes[256]; };
struct Thrower {
	std::string text;
	explicit Thrower(int i) : text(100, 'x') { if (i % 3 == 0) throw std::runtime_error("no"); }
};

template <class T> static T *hidden(T *block)
{
	asm volatile("" : "+r"(block) : : "memory");
	return block;
}
SITE by_new() { delete hidden(new Object); asm volatile(""); }
SITE by_new_array() { delete[] hidden(new char[500]); asm volatile(""); }
SITE by_new_nothrow() { delete[] hidden(new (std::nothrow) int[50]); asm volatile(""); }
SITE by_new_aligned() { delete hidden(new Aligned); asm volatile(""); }

static void throwing(int i, int *thrown)
{
	static volatile size_t much = ~(size_t)0 >> 2;
	try { std::unique_ptr<Thrower> thrower(new Thrower(i)); } catch (std::exception &) { ++*thrown; }
	try { delete[] new char[much]; } catch (std::bad_alloc &) { ++*thrown; }
	if (new (std::nothrow) char[much]) abort();
}

static void wait_for_line()
{
	char byte;
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

int main(int argc, char **argv)
{
	int rounds = atoi(argv[1]), thrown = 0;
	wait_for_line();
	for (int i = 0; i < rounds; i++) {
		by_new();
		by_new_array();
		by_new_nothrow();
		by_new_aligned();
		throwing(i, &thrown);
	}
	printf("{\"rounds\":%d,\"thrown\":%d}\n", rounds, thrown);
	fflush(stdout);
	wait_for_line();
}
"""
NEW_BYTES = {"by_new": 96, "by_new_array": 500, "by_new_nothrow": 200, "by_new_aligned": 256}


def below(recording, measure, site):
    """Events and value of a measure in stacks with this function."""
    found = recording.rows(
        "SELECT coalesce(sum(c.events), 0), coalesce(sum(c.value), 0) FROM counts c JOIN measures m"
        " ON m.id = c.measure WHERE m.kind = ? AND c.user_stack IN (SELECT stack FROM stack_frames"
        " WHERE function = ?)", measure, site)
    return found[0]


def losses_of(recording):
    return {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}


def start(*argv, preload=""):
    """Something that waits for a line."""
    process = background(*argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, env={**os.environ, "LD_PRELOAD": preload})
    return process


def go(process):
    process.stdin.write("\n")
    process.stdin.flush()


def watched(option, *processes, options=()):
    """What is recorded while these do what they do, and what each says."""
    recorder = Recorder(option, "-p", ",".join(str(process.pid) for process in processes), "-F", 0,
                        *options)
    for process in processes:
        go(process)
    said = [json.loads(process.stdout.readline()) for process in processes]
    recording = recorder.stop()
    for process in processes:
        process.stdin.close()
        check(process.wait(HANGS_S) == 0, f"{process.args} ended with {process.returncode}")
    check_books(recording)
    losses = losses_of(recording)
    check(not losses.get("events") and not losses.get("bare_events"), losses)
    return recording, said


def check_sites(recording, said):
    """Each site as the processes said, and nothing else."""
    sites = {}
    for one in said:
        check(one["wrong"] == 0, f"blocks are not what they were: {one}")
        for site in one["sites"]:
            sums = sites.setdefault(site["name"], dict.fromkeys(("a", "n", "f", "m"), 0))
            for letter, key in zip("anfm", ("bytes", "allocations", "freed_bytes", "frees")):
                sums[letter] += site[key]
    wrong = []
    for name, sums in sites.items():
        got = [*below(recording, "alloc", name), *below(recording, "freed", name),
               *below(recording, "live", name)]
        want = [sums["n"], sums["a"], sums["m"], sums["f"], sums["n"] - sums["m"], sums["a"] - sums["f"]]
        if got != want:
            wrong.append(f"{name}: allocated, freed, live: {got}, not {want}")
    check(not wrong, "\n".join([*wrong, str(losses_of(recording))]))
    totals = {one["kind"]: (one["count"], one["value"]) for one in recording.report["measures"]}
    check(totals["alloc"] == (sum(sums["n"] for sums in sites.values()),
                              sum(sums["a"] for sums in sites.values())), f"{totals}, {sites}")
    check(totals["alloc"][1] - totals["freed"][1] == totals["live"][1], totals)
    check(not losses_of(recording).get("untracked_blocks"), losses_of(recording))
    return totals


# Each block, in one process and in two.
recording, said = watched("--alloc=1", start(workload("blocks"), ROUNDS, 2))
print("each block:", check_sites(recording, said))
text = dwell("report", recording.path).stdout
flat = re.sub(r"\s+", " ", text)
check(re.search(r"memory allocated: [\d.]+ MiB in [\d,]+ allocations", flat) and "±" not in flat and
      "live at the end" in flat, text)
pair = [start(workload("blocks"), ROUNDS // 2), start(workload("blocks"), ROUNDS // 4)]
recording, said = watched("--alloc=1", *pair)
print("two processes:", check_sites(recording, said))
by_pid = dict(recording.rows("SELECT pid, sum(value) FROM measured WHERE measure = 'alloc' GROUP BY pid"))
check(by_pid == {one["pid"]: sum(site["bytes"] for site in one["sites"]) for one in said}, by_pid)

# A block may be where another one has just moved from.
recording, said = watched("--alloc=1", start(workload("movers"), 10 * ROUNDS))
live = below(recording, "live", "keep_all")
print(f"live: {live}, {said[0]}")
check(live == (said[0]["kept"], said[0]["bytes"]) and below(recording, "live", "move_all") == (0, 0),
      f"{live} live, {said[0]}")

# One byte of so many: each site is right within its error, which is said.
recording, said = watched("--alloc=64K", start(workload("blocks"), ROUNDS))
measures = {one["kind"]: one for one in recording.report["measures"]}
alloc = measures["alloc"]
bulk = next(site for site in said[0]["sites"] if site["name"] == "in_bulk")
events, value = below(recording, "alloc", "in_bulk")
samples = bulk["bytes"] / 65536
print(f"of 64K: {value} of {bulk['bytes']} bytes, {events} of {bulk['allocations']} blocks, {alloc['samples']} samples")
check_close("bytes in bulk", value, bulk["bytes"], rel=6 / samples ** 0.5)
check_close("blocks in bulk", events, bulk["allocations"], rel=6 / samples ** 0.5)
check(0 < alloc["samples"] < alloc["count"] and 0 < alloc["relative_error"] < 1, alloc)
check_close("freed and live", measures["freed"]["value"] + measures["live"]["value"], alloc["value"], abs_ns=0)
check(re.search(r"memory allocated: [^:]*±", re.sub(r"\s+", " ", dwell("report", recording.path).stdout)),
      "an estimate is not told as such")

# Who does nothing else is refused, with how often it calls.
hasty = start(workload("hasty"))
go(hasty)
refused = dwell("record", "--alloc", "-p", hasty.pid, "-d", "1s", status=2)
check_one_line_error(refused, "times a second", "--overhead allows 20 %", "--alloc -- COMMAND", "--growth")
figure = re.search(r"calls its allocator (\d+) times a second, .* take (\d+) %", refused.stderr)
check(figure and int(figure[1]) > 1000 and int(figure[2]) > 20, refused.stderr)
print(refused.stderr.strip())
check(not glob.glob("*.dwell.tmp") and not os.path.exists("last.dwell"), os.listdir())
recording = record("--alloc", "-p", hasty.pid, "--overhead", "10000%", "-d", "1s")
go(hasty)
log = json.loads(hasty.stdout.readline())
check(hasty.wait(HANGS_S) == 0 and log["wrong"] == 0 and log["blocks"] > 0, log)
check(next(one for one in recording.report["measures"] if one["kind"] == "alloc")["count"] > 0, "no block")

# Whose allocator cannot be known: a program of three instructions.
CODE = b"\xb8\x22\x00\x00\x00\x0f\x05\xeb\xf7"  # again: pause()
BASE = 0x400000
elf = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 62, 1, BASE + 120, 64, 0, 0, 64, 56, 1, 0, 0, 0)
elf += struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, 120 + len(CODE), 120 + len(CODE), 4096)
with open("bare", "wb") as file:
    file.write(elf + CODE)
os.chmod("bare", 0o755)
bare = background(os.path.join(TEMP, "bare"))
error = dwell("record", "--alloc", "-p", bare.pid, "-d", "1s", status=3)
check_one_line_error(error, "no malloc()", str(bare.pid), "--growth", "-e faults")
check(bare.poll() is None, "it ended")

# In C++, by the operators of the library and with an allocator's own.
if not shutil.which("g++"):
    print("without C++: there is no g++", flush=True)
    sys.exit(0)
with open("news.cc", "w", encoding="utf-8") as file:
    file.write(NEWS)
for options in ([], ["-static"]):
    run("g++", "-O1", "news.cc", "-o", "news" + "".join(options), *options)
for program, preload in (("news", ""), ("news-static", ""), *(("news", name) for name in ALLOCATORS)):
    alone = start(os.path.join(TEMP, program), ROUNDS, preload=preload)
    go(alone)
    alone_said = json.loads(alone.stdout.readline())
    alone.stdin.close()
    check(alone.wait(HANGS_S) == 0, f"{program} ended with {alone.returncode}")
    if preload and preload in alone.stderr.read():
        print(f"without {preload}, which is not installed", flush=True)
        continue
    recording, said = watched("--alloc=1", start(os.path.join(TEMP, program), ROUNDS, preload=preload))
    check(said == [alone_said], f"{program} {preload}: {said}, alone {alone_said}")
    untracked = losses_of(recording).get("untracked_blocks", 0)
    for site, size in NEW_BYTES.items():
        made, freed = below(recording, "alloc", site), below(recording, "freed", site)
        check(made == (ROUNDS, ROUNDS * size), f"{site} of {program} {preload}: {made}")
        # The life of blocks from an allocator's own operators is not known, and told as such.
        check(freed == made or (preload and freed == (0, 0)), f"{site} of {program} {preload} freed: {freed}")
    check(bool(preload) == bool(untracked), f"{program} {preload}: {untracked} blocks could not be followed")
    if preload:
        print(preload, check_sites(*watched("--alloc=1", start(workload("blocks"), ROUNDS // 4, preload=preload))))
    print(f"{program} {preload}: {said}, {untracked} not followed", flush=True)
