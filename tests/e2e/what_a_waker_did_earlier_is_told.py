# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it compares clocks
# alone, because it compares clocks
"""A client waits for a server that naps, computes, waits for a helper and naps again: all of it is
in the client's chains, not only the server's last nap, each with the time that those who did it
logged, and next to nothing is left as "earlier". So are those of a server with more waits than are
remembered one by one, as long as they are alike."""
from wakers import *


def by_path(recording, comm):
    """{(names of the hops down to the one at work): (ran, had no CPU)}, and what is left open."""
    paths, left_ns = {}, 0
    for chain in chains_of(recording, comm):
        left_ns += chain.rest_ns
        for position, hop in enumerate(chain.hops):
            path = tuple(above.name for above in chain.hops[:position + 1])
            ran, no_cpu = paths.get(path, (0, 0))
            paths[path] = ran + hop.ran_ns, no_cpu + hop.no_cpu_ns
            left_ns += hop.earlier_ns
    return paths, left_ns


recording = record(command=[workload("errands"), 10, 2])
log = recording.log
check_books(recording)
check_chains(recording)
paths, left_ns = by_path(recording, "client")
print({" < ".join(path): parts for path, parts in paths.items()}, left_ns, flush=True)
waits = chains_of(recording, "client")
check(sum(chain.count for chain in waits) <= 2 * log["rounds"],
      f"a wait is counted more than once: {[(chain.count, shape(chain)) for chain in waits]}")
total = sum(chain.ns for chain in waits)
check_close("the client's waits", total, log["wait_ns"], rel=0.1, abs_ns=5 * MS * log["rounds"])
# A wake that the kernel side did not see leaves a nap open.
check(left_ns < 0.1 * total, f"{left_ns} of {total} ns are not explained")
rounds = log["rounds"]


def ran(*path):
    check(path in paths, f"{' < '.join(path)} is not there: {paths}")
    return paths[path][0]


def running_ns(comm):
    return sum(thread["running_ns"] for thread in recording.named(comm))


# By the clock of whoever naps a nap has in it what it then waited for a CPU. The helper's may begin
# before the server waits for it, if that one is held up on the way, and the server's first before the
# client waits, which was 8 of 400 ms once.
for asked_ms, key, path in ((40 * 0.95, "naps_ns", ("server", "hrtimer_wakeup")),
                            (15 * 0.5, "helper_nap_ns", ("server", "helper", "hrtimer_wakeup"))):
    check(asked_ms * MS * rounds - left_ns <= ran(*path) <= log[key] + MS * rounds,
          f"{key}: {ran(*path)}, logged {log[key]}")
# The clocks of both count what the hypervisor took away. Emulated, the server may still run when the
# client has its answer, and before the client waits.
check_close("server", ran("server"), running_ns("server"), rel=0.05 * SLOW, abs_ns=MS * rounds)
check(ran("server") > 0.9 * log["server_ran_ns"], f"server: {paths}")
# The helper's work counts as far as the server waits for it: less if that one had no CPU meanwhile.
check(0 < ran("server", "helper") <= running_ns("helper"), f"{paths}")

# More naps than are remembered one by one, but all alike: all are told, and the work between them.
for naps in (80, 200):
    recording = record(command=[workload("errands"), 1, naps])
    log = recording.log
    check_books(recording)
    check_chains(recording)
    paths, left_ns = by_path(recording, "client")
    print(naps, "naps:", paths, left_ns, log, flush=True)
    total = sum(chain.ns for chain in chains_of(recording, "client"))
    check(left_ns < 0.1 * total, f"{left_ns} of {total} ns are not explained")
    check_close("naps", ran("server", "hrtimer_wakeup"), log["naps_ns"], rel=0.1, abs_ns=20 * MS)
    check_close("server", ran("server"), running_ns("server"), rel=0.15, abs_ns=20 * MS)
