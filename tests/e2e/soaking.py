# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools/soak does: a mixed load, dwell recording the machine beside it, and three watches: the
memory that dwell takes in user space and in the kernel, the books as a reader of the live recording
sees them, and what stays behind at the end."""
import statistics

from cgroup import join, make_groups, version_2_root
from lib import *
from memory import IS_V1, memory_group, read_text, write_text

# The load, each a loop of a shell with a pause in it. Together they take less than half a CPU.
LOADS = {
    "pipe": "{w}/pingpong 2000",
    "processes": "{w}/spawner 20 2 /bin/true",
    "descendants": "{w}/forker 10 100",
    "execs": "{w}/execer leader 100; {w}/execer thread 100",
    "threads": "echo | {w}/threads 16 100",
    "waits": "echo | {w}/mixed_waits 2000",
    "stacks": "{w}/many_stacks 2000 11 1000",
    "made code": "{w}/jit 300 20 1000",
    "mappings": "{w}/remapper 1000 2000",
    "names": "{w}/renamer",
}
PAUSE_S = 0.2 * SLOW ** 2
MIB = 1 << 20
MOST_GROWTH_BYTES_PER_H = 1 * MIB
# In less time than this growth cannot be told from noise, which is bounded all the same.
JUDGED_S = 25 * 60
NOISE_BYTES = 48 * MIB
# Rows and open intervals of a commit are not read in one instant.
LIVE_SLACK_NS = 20 * MS
READER_TIMEOUT_S = 600
# A reader costs as much as the recording is long: it works this share of the time at most.
READER_SHARE = 0.05


class Meter:
    """A memory cgroup for dwell alone: what the kernel keeps for its tables counts there, too."""

    def __init__(self):
        self.group = memory_group("dwell-soak")

    def kernel_bytes(self, path):
        """Without what the kernel would give back: entries of its caches of names and inodes, and the
        index of the recording's cached pages, which grows with the file (0.2 % of it)."""
        fd = os.open(path, os.O_RDONLY)
        os.fdatasync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
        if IS_V1:
            write_text(self.group, "memory.force_empty", "0")
            return int(read_text(self.group, "memory.kmem.usage_in_bytes"))
        lines = read_text(self.group, "memory.stat").splitlines()
        fields = dict(line.split() for line in lines)
        return int(fields["kernel"]) - int(fields["slab_reclaimable"])

    def user_bytes(self):
        """Heaps and stacks of dwell and its helpers; tables that are mapped are the kernel's."""
        return sum(1024 * int(line.split()[1]) for pid in self.processes()
                   for line in read_text(f"/proc/{pid}", "status").splitlines()
                   if line.startswith("RssAnon:"))

    def processes(self):
        return [int(pid) for pid in read_text(self.group, "cgroup.procs").split()]


def start_load(group):
    folder = os.path.dirname(workload("pingpong"))
    for loop in LOADS.values():
        background("sh", "-c", f"while :; do {loop.format(w=folder)}; sleep {PAUSE_S}; done",
                   preexec_fn=lambda: join(group, os.getpid()))


def growth_per_h(samples):
    """Bytes an hour, from the first quarter of the samples to the last one, each by its median: steps
    show as well as a slope, a moment's peak does not."""
    part = max(len(samples) // 4, 1)
    first, last = samples[:part], samples[-part:]
    middle = [statistics.median(now for now, _ in quarter) for quarter in (first, last)]
    sizes = [statistics.median(size for _, size in quarter) for quarter in (first, last)]
    return (sizes[1] - sizes[0]) / (middle[1] - middle[0]) * 3600 if middle[1] > middle[0] else 0.0


class GrowingRecording(Recording):
    """One that may take long to read."""

    @property
    def report(self):
        if self._report is None:
            self._report = report_json(self.path, timeout=READER_TIMEOUT_S)
        return self._report


class Soak:
    """is_alone: the machine is ours, and all of it is recorded; else the load only, by its cgroup."""

    def __init__(self, seconds, say=print, is_alone=True):
        self.seconds, self.say = seconds, say
        self.load, = make_groups(version_2_root(), f"dwell-soak-load-{os.getpid()}")
        self.target = ["-a"] if is_alone else ["-G", self.load]
        self.meter = Meter()
        self.user, self.kernel, self.reads = [], [], []
        self.faults = []
        os.mkdir("temporary")
        self.path = os.path.join(TEMP, "soak.dwell")

    def run(self):
        self.recorder = Recorder(
            *self.target, path=self.path, env=dict(os.environ, TMPDIR=os.path.abspath("temporary")),
            preexec_fn=lambda: join(self.meter.group, os.getpid()))
        start_load(self.load)
        self.start_s = time.monotonic()
        self.held = {kind: bpf_ids_of(self.recorder.pid, kind) for kind in ("prog", "map", "link")}
        self.watch()
        self.recorder.process.send_signal(signal.SIGINT)
        self.recorder.wait(timeout=READER_TIMEOUT_S)
        recording = GrowingRecording(self.path)
        self.judge_growth()
        self.judge_end(recording)
        return self.faults

    def elapsed_s(self):
        return time.monotonic() - self.start_s

    def watch(self):
        """Until the time is up: a sample every so often, and a reader in between."""
        every_s = max(1.0, self.seconds / 240)
        next_read_s = min(5.0, self.seconds / 3)
        while self.elapsed_s() < self.seconds:
            if self.recorder.process.poll() is not None:
                raise AssertionError(f"dwell ended: {self.recorder.wait(status=None).stderr}")
            now_s = self.elapsed_s()
            self.user.append((now_s, self.meter.user_bytes()))
            self.kernel.append((now_s, self.meter.kernel_bytes(self.path)))
            if now_s >= next_read_s:
                took_s = self.read_live()
                next_read_s = self.elapsed_s() + max(10 * every_s, took_s / READER_SHARE)
            time.sleep(every_s)

    def read_live(self):
        start_s = time.monotonic()
        recording = GrowingRecording(self.path)
        self.check_recording(recording, LIVE_SLACK_NS, f"after {self.elapsed_s():.0f} s")
        took_s = time.monotonic() - start_s
        self.reads.append(took_s)
        accounting = recording.report["accounting"]
        self.say(f"{self.elapsed_s():6.0f} s: {len(recording.threads)} threads, user "
                 f"{self.user[-1][1] / MIB:.2f} MiB, kernel {self.kernel[-1][1] / MIB:.2f} MiB, file "
                 f"{os.path.getsize(self.path) / MIB:.1f} MiB, accounted "
                 f"{100 * accounting['accounted_ns'] / accounting['expected_ns']:.6f} %, "
                 f"losses {accounting['losses']}, read in {took_s:.1f} s")
        return took_s

    def check_recording(self, recording, slack_ns, when):
        try:
            check_books(recording, slack_ns=slack_ns)
        except AssertionError as reason:
            self.faults.append(f"{when} the books do not balance: {reason}")

    def judge_growth(self):
        """What comes before half of the time, or half an hour, is warming up."""
        warm_s = min(self.seconds / 2, 1800)
        span_s = self.seconds - warm_s
        for what, samples in (("user space", self.user), ("the kernel", self.kernel)):
            warm = [sample for sample in samples if sample[0] >= warm_s] or samples[-1:]
            growth = growth_per_h(warm)
            self.say(f"memory in {what}: {warm[0][1] / MIB:.2f} MiB warm, {warm[-1][1] / MIB:.2f} MiB "
                     f"at the end, {growth / MIB:+.3f} MiB/h over {span_s:.0f} s")
            if span_s >= JUDGED_S and growth > MOST_GROWTH_BYTES_PER_H:
                self.faults.append(f"memory in {what} grows by {growth / MIB:.2f} MiB/h")
            elif warm[-1][1] - warm[0][1] > NOISE_BYTES:
                self.faults.append(f"memory in {what} grew by {warm[-1][1] - warm[0][1]} bytes")

    def judge_end(self, recording):
        self.check_recording(recording, 0, "at the end")
        meta = recording.meta()
        for name in ("rows_missing", "rows_missing_ns"):
            if meta[name]:
                self.faults.append(f"{name}: {meta[name]}")
        self.say(f"recorded {recording.window_ns / S:.0f} s, {meta['switches']} switches, worst thread "
                 f"{meta['worst_thread_ns']} ns, worst slice {meta['worst_slice_ns']} ns, read "
                 f"{len(self.reads)} times while it grew; losses "
                 f"{recording.report['accounting']['losses']}")
        self.judge_orphans()

    def judge_orphans(self):
        for kind, ids in self.held.items():
            try:
                wait_until(lambda: not ids & bpf_ids(kind), kind, timeout=2)
            except AssertionError:
                self.faults.append(f"BPF {kind}s stay: {sorted(ids & bpf_ids(kind))}")
        left = [name for name in os.listdir(TEMP) if name.startswith("soak.dwell")]
        left += os.listdir("temporary") + self.meter.processes()
        if left != ["soak.dwell"]:
            self.faults.append(f"left behind: {left}")
        self.say(f"left behind: {sum(map(len, self.held.values()))} programs, maps and links are gone; "
                 f"files {left}")
