# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
"""The mixed load for five minutes: the books are right in all and slice by slice."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from load import *

start_mixed_load()
recording = record("-a", "-d", "5m", timeout=500)
life = check_books(recording)
check_books_by_slice(recording)
check_stored_figures(recording, recording.report["accounting"])
check_close("expected_ns", recording.report["accounting"]["expected_ns"], life, rel=0.0001)
