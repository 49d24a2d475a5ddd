# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: no, because the emulated machines have no disk
"""The time that fsync waits is ended by a disk, which is named as in /sys/block."""
from wakers import *

device = os.stat(TEMP).st_dev
if not os.path.exists(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"):
    skip(f"{TEMP} is on no block device: nothing to name")
recording = record("-F", "0", command=[workload("wakes"), "fsync", "200"])
chains = chains_of(recording, "waiter", inside="do_fsync")
disks = set(os.listdir("/sys/block"))
total = sum(chain.ns for chain in chains)
by_disk = sum(chain.ns for chain in chains
              if chain.hops and chain.hops[-1].kind == "disk" and chain.hops[-1].name in disks)
check(total > 0, "fsync did not wait")
check(by_disk >= 0.9 * total, f"{by_disk} of {total} ns end at a disk; the chains: "
      f"{sorted(((chain.ns, shape(chain)) for chain in chains), reverse=True)[:5]}")
check_chains(recording)
