# SPDX-License-Identifier: GPL-2.0-or-later
"""The waits of fsync are ended by a disk, which is named as in /sys/block."""
from wakers import *

device = os.stat(TEMP).st_dev
if not os.path.exists(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"):
    skip(f"{TEMP} is on no block device: nothing to name")
recording = record("-F", "0", command=[workload("wakes"), "fsync", "200"])
chains = chains_of(recording, "waiter", inside="do_fsync")
disks = set(os.listdir("/sys/block"))
# By number: in some virtual machines a wake may be made where no BPF program sees it.
check_most(chains, lambda chain: chain.hops and chain.hops[-1].kind == "disk" and
           chain.hops[-1].name in disks, "fsync ended by a disk")
check_chains(recording)
