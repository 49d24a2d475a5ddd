# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads share a mutex and log who had it when. Whom the report names as its holders, and with what
shares, is what that log says, whether most of it is a holder's sleep or the others' work; the place
where the holder slept is named; and that sleep is not idle, while its sleep without the mutex is."""
from lib import *

need_root()


def line_of_the_mutex(report):
    lines = [line for line in report["lines"] if line.get("known") == "mutex" and line["name"] == "user-*"]
    check(len(lines) == 1, f"{[(line['name'], line.get('known'), line['total_ns']) for line in report['lines']]}")
    return lines[0]


def shares(line):
    """{name: share of the holders' time}, and where the refresher slept."""
    by_name, places = {}, {}
    for cause in line["causes"]:
        ns = cause["ran_ns"] + cause["no_cpu_ns"] + cause["waited_ns"]
        by_name[cause["name"]] = by_name.get(cause["name"], 0) + ns
        if cause["name"] == "refresher" and cause["waited_ns"]:
            place = cause.get("called_from")
            places[place] = places.get(place, 0) + cause["waited_ns"]
    total = by_name.get("refresher", 0) + by_name.get("user-*", 0)
    return {name: ns / total for name, ns in by_name.items()}, places


for users, hold_us in ((3, 50), (6, 1500)):
    recording = record(command=[workload("holder"), 2000 * SLOW, users, hold_us])
    log = recording.log
    report = json.loads(dwell("report", "--json", recording.path).stdout)
    line = line_of_the_mutex(report)
    found, places = shares(line)
    logged = log["for_refresher_ns"] / (log["for_refresher_ns"] + log["for_users_ns"])
    print(f"{users} users, {hold_us} us: refresher {found}, logged {logged}; {places}", flush=True)
    check(abs(found["refresher"] - logged) < 0.04, f"refresher: {found}, logged {logged}")
    check(max(places, key=places.get) == "refresh_cache", f"{places}")
    check(line["sentence"].startswith("Held by "), line["sentence"])
    sleeps = {}
    for wait in report["waits"]:
        for place in ("refresh_cache", "rest"):
            if place in wait["stack"]:
                sleeps.setdefault(place, set()).add(wait.get("idle", ""))
    check(sleeps == {"refresh_cache": {""}, "rest": {"own_timer"}}, f"{sleeps}")
