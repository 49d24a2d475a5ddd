# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""-G takes a container's id or the first digits of it, in either version of cgroups; every process
has its container in the recording, also one that lives for a millisecond."""
import hashlib
from cgroup import *
from scale import check_share

SHORT = 200 // SLOW
need_root()
roots = [root for root in (version_2_root(), "/sys/fs/cgroup/cpu") if root and os.path.isdir(root)]
if not roots:
    skip("no cgroup hierarchy", is_optional=True)
for number, root in enumerate(roots):
    container = hashlib.sha256(f"{os.getpid()} {number}".encode()).hexdigest()
    other = hashlib.sha256(f"{os.getpid()} {number} other".encode()).hexdigest()
    group, beside = make_groups(root, f"dwell-test.slice/docker-{container}.scope",
                                f"dwell-test.slice/docker-{other}.scope")
    sleeper, stranger = Workload("deep_sleeper"), Workload("deep_sleeper")
    for workload_, folder in ((sleeper, group), (stranger, beside)):
        workload_.line()
        join(folder, workload_.pid)
    recorder = Recorder("-G", container[:12])
    run("sh", "-c", f"echo $$ > {group}/cgroup.procs; "
        f"exec {workload('spawner')} {SHORT} 2 {shutil.which('true')}")
    recording = recorder.stop()
    check_books(recording)
    check(recording.of_process(sleeper.pid), "the container's process is missing")
    check(not recording.of_process(stranger.pid), "another container's process was recorded")
    check({t["container"] for t in recording.of_process(sleeper.pid)} == {container},
          f"{root}: {recording.of_process(sleeper.pid)[0]}")
    short = recording.named("true")
    check(len(short) == SHORT, f"{root}: {len(short)} of {SHORT} short lives")
    check_share(f"{root}: short lives with their container",
                sum(t["container"] == container for t in short), SHORT, 0.99)
    stacks = recording.folded("offcpu", "--by", "container")
    check(any(stack[0] == container[:12] for stack in stacks), f"{ {s[0] for s in stacks} }")

    # Looking at everything, each is in its own.
    recording = record("-a", "-d", "0.5s")
    for workload_, wanted in ((sleeper, container), (stranger, other)):
        check({t["container"] for t in recording.of_process(workload_.pid)} == {wanted},
              f"{root}: {recording.of_process(workload_.pid)[:1]}")
    check(all(not t["container"] for t in recording.of_process(os.getpid())), "dwell's own test")
    sleeper.kill()
    stranger.kill()
