# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because the first event is read from the kernel's own list
"""A thread waits in one epoll set for 16 connections, to which another writes by chance, also to several
at once. How often each of them ended a wait, and the time of these waits, is what the waiter's log of
first events says."""
from awaited import *

recording = record(command=[workload("epoll_many"), 4000])
log = recording.log
logged = {entry["port"]: (entry["waits"], entry["wall_ns"]) for entry in log["ports"]}
waits, wall_ns = (sum(values) for values in zip(*logged.values()))
check(waits >= 50 and min(count for count, _ in logged.values()), f"too few waits: {logged}")

things = things_of(recording, log["tid"], "waiter")
found = {thing.port: (thing.count, thing.ns) for thing in things if thing.kind == "tcp to"}
others = [text_of(thing) for thing in things if thing.kind != "tcp to"]
off = {port: (found.get(port, (0, 0))[0], count) for port, (count, _) in logged.items()
       if found.get(port, (0, 0))[0] != count}
print(f"{waits} waits, {sum(count for count, _ in found.values())} recorded; not the same: {off}; others: {others}",
      flush=True)
check(set(found) <= set(logged),
      f"ports that nobody wrote to: { {port: found[port] for port in set(found) - set(logged)} }")
# A wait without an event, or one that the count of switches does not show, is rare.
check(sum(abs(got - count) for got, count in off.values()) <= 0.02 * waits, f"counts by port, recorded and logged: {off}")
total_ns = sum(thing.ns for thing in things)
for port, (_, ns) in logged.items():
    share, wanted = found.get(port, (0, 0))[1] / total_ns, ns / wall_ns
    # The log has time without a CPU, too.
    check(abs(share - wanted) <= 0.05, f"port {port} has {share:.1%} of the time, logged {wanted:.1%}; {others}")
