# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because the ways of a wake differ
"""A wait is ended through a pipe, loopback TCP, a pseudo terminal, an eventfd, a mutex, a condition,
a signal, the end of a child, an exec, a new-born child, or a timer: the chain names who did it, by
what means, and the timer behind it, in 95 % of the waits."""
from wakers import *

SENT = ("task", "waker"), TIMER
WAYS = {
    "pipe": SENT,
    # The packet is received in a softirq, but inside of the sender's system call.
    "tcp": ((("task", "softirq in task"), "waker"), TIMER),
    "pty": (("task", "kworker*"), ("work", "waker"), TIMER),
    "eventfd": SENT,
    "mutex": SENT,
    "condition": SENT,
    "signal": (("signal", "waker"), TIMER),
    "waitpid": SENT,
    "vfork": SENT,
    "fork": (("task", "child"), ("fork", "waker"), TIMER),
    "sleep": (TIMER,),
}
# Waits that are made beside the one that is meant.
INSIDE = {"mutex": "do_futex", "condition": "do_futex", "vfork": "kernel_clone",
          "fork": "vfs_read", "waitpid": "do_wait"}
ROUNDS = 150 if SLOW == 1 else 40
# Long enough for the waiter to be in its wait before the waker's sleep is over.
PAUSE_MS = 3 if SLOW == 1 else 20

# All in one recording: on an emulated machine its start takes longer than a way.
script = "; ".join(f"{workload('wakes')} {way} {ROUNDS} {PAUSE_MS} & echo {way} $!; wait $!"
                   for way in WAYS)
recording = record("-F", "0", command=["sh", "-c", script])
waiters = dict(re.findall(r"^([a-z]+) (\d+)$", recording.stdout, re.M))
check_chains(recording)
for way, hops in WAYS.items():
    chains = chains_of(recording, "waiter", inside=INSIDE.get(way), tid=int(waiters[way]))
    # One that was over at once tells nothing of the way.
    long = [chain for chain in chains if chain.ns > chain.count * PAUSE_MS * MS // 5]
    count = sum(chain.count for chain in long)
    check(count >= 0.8 * ROUNDS, f"{way}: {count} waits, not {ROUNDS}: "
          f"{[(chain.count, chain.ns, shape(chain)) for chain in chains]}")
    check_most(long, has_hops(*hops), way, share=0.95 if SLOW == 1 else 0.6)
    # On a slow machine a wait may begin when what ends it is under way: then its chain is shorter.
    check_most(long, lambda chain: any(has_hops(*hops[:i])(chain) and (
        chain.end == "awake" or i == len(hops)) for i in range(1, len(hops) + 1)), way)
