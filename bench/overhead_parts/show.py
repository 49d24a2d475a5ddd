# SPDX-License-Identifier: GPL-2.0-or-later
"""What the turns add up to, as a table and for machines."""
import statistics

from .tools import MODES, switch_program

RIVAL = "offcputime"


def spread(values):
    values = [value for value in values if value is not None]
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def per_switch(turn):
    """ns of all the tool's programs for each run of its switch program; None if it has none."""
    programs = turn["programs"]
    switch = switch_program(programs)
    if not switch or not programs[switch][0]:
        return None
    return sum(ns for _, ns in programs.values()) / programs[switch][0]


def by_program(turns):
    rows = {}
    for program in sorted(set().union(*(turn["programs"] for turn in turns))):
        seen = [turn["programs"][program] for turn in turns if turn["programs"].get(program, (0,))[0]]
        if seen:
            rows[program] = {"runs": int(statistics.median(runs for runs, _ in seen)),
                             "ns_per_run": spread([ns / runs for runs, ns in seen])}
    return rows


def summarise(turns):
    """turns: {(load, tool): [turn, ...]} in the same rounds; a row for each."""
    rows = []
    for (load, tool), rounds in turns.items():
        nothing, rival = turns.get((load, "nothing")), turns.get((load, RIVAL))
        row = {"load": load, "tool": tool, "programs": by_program(rounds),
               "ns_per_switch": spread([per_switch(turn) for turn in rounds])}
        if nothing and tool != "nothing":
            row["loss"] = spread([1 - turn["throughput"] / base["throughput"]
                                  for turn, base in zip(rounds, nothing)])
        if rival and tool in MODES:
            row["ratio"] = spread([per_switch(turn) / per_switch(other)
                                   for turn, other in zip(rounds, rival) if per_switch(turn)])
        if tool != "nothing":
            for key in ("program_cpu", "recorder_cpu", "own_bytes", "kernel_bytes", "file_bytes_per_s"):
                row[key] = spread([turn[key] for turn in rounds])
        if tool in MODES:
            row["stacks"] = {key: sum(turn["stacks"].get(key, 0) for turn in rounds)
                             for key in rounds[0]["stacks"]}
        rows.append(row)
    return rows


def text(value, form, scale=1):
    return form.format(value["median"] * scale) if value else "-"


def hits(stacks, who):
    known = stacks.get(f"{who}_known", 0)
    total = known + stacks.get(f"{who}_walked", 0)
    return f"{100 * known / total:.1f}" if total else "-"


def print_rows(rows):
    heads = ("load", "tool", "ns/switch", "of rival", "loss %", "kernel CPU %", "own CPU %", "own MiB",
             "kernel MiB", "KiB/s", "known kernel %", "user %", "audited", "wrong")
    widths = [max(len(head), least) for head, least in zip(heads, (11, 11, 9, 16, 6, 0, 0, 0, 0, 7))] + \
        [len(head) for head in heads[10:]]
    print("  ".join(head.rjust(width) if i > 1 else head.ljust(width)
                    for i, (head, width) in enumerate(zip(heads, widths))))
    for row in rows:
        stacks, ratio = row.get("stacks", {}), row.get("ratio")
        cells = (row["load"], row["tool"], text(row["ns_per_switch"], "{:.0f}"),
                 f"{ratio['median']:.2f} ({ratio['min']:.2f}-{ratio['max']:.2f})" if ratio else "-",
                 text(row.get("loss"), "{:.1f}", 100), text(row.get("program_cpu"), "{:.1f}", 100),
                 text(row.get("recorder_cpu"), "{:.1f}", 100), text(row.get("own_bytes"), "{:.0f}", 1 / (1 << 20)),
                 text(row.get("kernel_bytes"), "{:.0f}", 1 / (1 << 20)),
                 text(row.get("file_bytes_per_s"), "{:.0f}", 1 / 1024), hits(stacks, "kernel"), hits(stacks, "user"),
                 f"{stacks.get('kernel_audited', 0) + stacks.get('user_audited', 0):,}" if stacks else "-",
                 str(stacks.get("wrong", 0)) if stacks else "-")
        print("  ".join(cell.rjust(width) if i > 1 else cell.ljust(width)
                        for i, (cell, width) in enumerate(zip(cells, widths))))


def print_programs(rows):
    print(f"\n{'load':12}{'tool':12}{'program':18}{'runs':>10}{'ns/run':>9}{'min':>8}{'max':>8}")
    for row in rows:
        for program, figures in row["programs"].items():
            ns = figures["ns_per_run"]
            print(f"{row['load']:12}{row['tool']:12}{program:18}{figures['runs']:>10,}"
                  f"{ns['median']:>9.0f}{ns['min']:>8.0f}{ns['max']:>8.0f}")
