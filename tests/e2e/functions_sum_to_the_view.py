# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of functions has the view's time, to the nanosecond; functions that burn CPU time are
there with their shares, in their own object; options that do not fit are refused."""
from lib import *

let_tables_come()
# A rate that does not fall into step with the program's rounds of 10 ms.
recording = record("-F", "617", command=[workload("two_burners"), "1500"])


def functions(view, *args):
    return json.loads(dwell("report", recording.path, "--functions", "--json", "--view", view,
                            "--idle", "show", *args).stdout)


for view in ("oncpu", "offcpu", "runq", "hotcold"):
    total = sum(recording.folded(view).values())
    if not total:
        continue
    for order in ("self", "total", "object"):
        table = functions(view, "--sort", order)
        check(table["total_ns"] == total, f"{view}: {table['total_ns']} ns, not {total}")
        for rows in (table["functions"], table["objects"]):
            check(sum(row["self_ns"] for row in rows) == total, f"{view} by {order}: self")
            check(all(row["self_ns"] <= row["total_ns"] <= total for row in rows), f"{rows}")

table = functions("oncpu")
rows = {row["function"]: row for row in table["functions"]}
for name in ("burn_seventy", "burn_thirty"):
    check(name in rows and rows[name]["object"].endswith("/two_burners"), f"{name}: {list(rows)}")
seventy, thirty = (rows[name]["total_ns"] for name in ("burn_seventy", "burn_thirty"))
check(1.5 * thirty < seventy < 3.5 * thirty, f"70 % and 30 %: {seventy} and {thirty}")
check(seventy + thirty > 0.7 * table["total_ns"], f"{seventy} + {thirty} of {table['total_ns']}")
user = functions("oncpu", "-U")["functions"]
check(not any(row["is_kernel"] for row in user), f"{user[:10]}")

text = dwell("report", recording.path, "--functions", "--top", "3").stdout
check(max(map(len, text.split("\n"))) <= 80, f"wider than 80 columns:\n{text}")
check(table["functions"][0]["function"][:20] in text, text)
grouped = dwell("report", recording.path, "--functions", "--sort", "object").stdout
check(re.search(r"^ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+  two_burners$", grouped, re.M), grouped)

for args, words in ((("--sort", "total"), "--functions"),
                    (("--functions", "--sort", "size"), "self, total or object"),
                    (("--functions", "--view", "oncpuu"), "did you mean oncpu?"),
                    (("--functions", "--by", "thread"), "--by")):
    check_one_line_error(dwell("report", recording.path, *args, status=2), words)
check_one_line_error(
    dwell("report", recording.path, "--functions", "-n", "nobody", status=1), "filters")
