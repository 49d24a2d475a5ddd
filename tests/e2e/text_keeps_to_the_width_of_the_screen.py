# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports, tables, checks and help keep to the columns that there are, from 50 on, by --width, COLUMNS
and the terminal's own width; only a single word that is longer than a line is wider."""
import fcntl
import lzma
import pty
import struct
import termios
from lib import *

WIDTHS = (50, 80, 120, 200)
LONG = "a-recording-with-a-name-that-is-longer-than-many-a-screen-is-wide-" + "x" * 60
names = []
for number in (2, 6):
    with lzma.open(os.path.join(TOP, f"tests/data/recordings/format-{number}.dwell.xz")) as source:
        names.append(f"{LONG}-{number}.dwell")
        with open(names[-1], "wb") as file:
            file.write(source.read())
# Names that are as long as names get.
database = sqlite3.connect(names[1])
database.execute("UPDATE frames SET name = name || '_of_a_class_with_a_long_name<and_parameters>' WHERE id % 2")
database.execute("UPDATE threads SET comm = 'fifteen-letters' WHERE id % 2")
database.commit()
database.close()


def check_width(what, text, width):
    """No line is wider, unless it is one word."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.splitlines()]
    check(lines, f"{what}: nothing is shown")
    for line in lines:
        check(len(line) <= width or " " not in line.strip(), f"{what}: {len(line)} of {width}: {line!r}")
    return lines


tables = [(), ("--functions",), ("--functions", "--view", "offcpu", "--sort", "object"), ("--things",),
          ("--wait", "1"), ("--wait", "2"), ("--top", "30"), ("-n", "*", "--from", "0")]
for width in WIDTHS:
    for name in names:
        for options in tables:
            shown = dwell("report", name, *options, "--width", width, env=dict(os.environ, COLUMNS="70")).stdout
            check_width(f"report {options}", shown, width)
    shown = dwell("diff", *names, "--width", width).stdout
    check(f"{LONG}-2.dwell"[-15:] in shown, f"the end of a name tells most: {shown}")
    check_width("diff", shown, width)
    environment = dict(os.environ, COLUMNS=str(width))
    for args in ((), ("help", "words"), ("--help",), *(("help", command) for command in (
            "record", "report", "flame", "html", "diff", "import", "list", "check"))):
        check_width(f"{args}", dwell(*args, env=environment).stdout, width)
    facts = run(DWELL, "check", env=environment, status=None).stdout
    # Commands that mend something are to be copied.
    facts = "\n".join(line for line in facts.splitlines() if "fix: " not in line and "perf record" not in line)
    check_width("check", facts, width)
    check_width("list", dwell("list", env=environment).stdout, min(width, 100))
    check_width("report", dwell("report", names[0], env=environment).stdout, width)

# The head of a narrow screen in the order of a wide one: window, target, file.
shutil.copy(names[0], "short.dwell")
words = [dwell("report", "short.dwell", "--width", width).stdout.split(" threads lived ")[0].split() for width in (50, 200)]
check([word.strip(",") for word in words[0]] == [word.strip(",") for word in words[1]], f"{words}")

# Room is used: a wide screen cuts fewer names.
cuts = [dwell("report", names[1], "--functions", "--width", width).stdout.count("~") for width in WIDTHS]
check(cuts[0] > cuts[2] and cuts[1] > cuts[3], f"names cut at {WIDTHS}: {cuts}")
check_one_line_error(dwell("report", names[0], "--width", "49", status=2), "from 50 up")
check_one_line_error(dwell("diff", *names, "--width", "49", status=2), "--width")


def on_terminal(columns, rows, *args):
    """What is shown on a terminal of that size."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    process = background(DWELL, *args, stdout=slave, env=dict(environment, TERM="xterm"))
    os.close(slave)
    shown = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    process.wait(HANGS_S)
    return shown.decode().replace("\r", "")


for width in (50, 120):
    lines = check_width("on a terminal", on_terminal(width, 24, "report", names[0]), width)
    check(any(len(line) > width - 12 for line in lines), f"{width} columns are not used: {lines}")
