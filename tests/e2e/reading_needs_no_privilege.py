# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording needs privilege, looking does not: not even write permission on file or folder."""
from lib import *

recording = record(command=[workload("sleeper"), "2", "50"])
os.chmod(TEMP, 0o755)
os.chmod(recording.path, 0o444)
shutil.copy(DWELL, "dwell")
os.chmod("dwell", 0o755)
nobody = dict(user=65534, group=65534, extra_groups=[])
check("sleeper" in run("./dwell", "report", recording.path, **nobody).stdout, "report")
check("sleeper" in run("./dwell", "flame", "-f", recording.path, **nobody).stdout, "flame")
