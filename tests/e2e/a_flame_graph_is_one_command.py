# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell flame` draws recordings and other tools' text: to a file, to a redirected stdout, from a
pipe; widths sum to the folded text; options have the names that people know."""
import shutil
import xml.etree.ElementTree
from lib import *

SVG = "{http://www.w3.org/2000/svg}"


def boxes(text):
    """(depth, name, facts, weight) of each frame. That it parses is the first check."""
    frames = xml.etree.ElementTree.fromstring(text).find(f"{SVG}g[@class='frames']")
    return [(int(box.get("data-d")), *box.find(f"{SVG}title").text.split("\n"),
             int(box.get("data-w"))) for box in frames]


def draw(folded_text, *args, **options):
    with open("in.folded", "w") as file:
        file.write(folded_text)
    dwell("flame", "in.folded", "-o", "out.svg", *args, **options)
    with open("out.svg") as file:
        return file.read()


def fails(*args, words):
    check_one_line_error(dwell("flame", "in.folded", "-o", "no.svg", *args, status=2), *words)
    check(not os.path.exists("no.svg"), f"{args} left a file")


recording = record("-a", command=["sleep", "0.3"])
total = sum(recording.folded("offcpu", "--idle", "hide").values())
aside = sum(recording.folded("offcpu").values()) - total
dwell("flame", recording.path, "-o", "off.svg")
with open("off.svg") as file:
    off = file.read()
drawn = boxes(off)
check(drawn[0][1] == "all" and drawn[0][3] == total, f"all is {drawn[0]}, not {total} ns")
check(sum(weight for depth, _, _, weight in drawn if depth == 1) == total, "roots sum to the whole")
subtitle = xml.etree.ElementTree.fromstring(off).find(f"{SVG}text[@class='soft']").text
check(aside > total and re.search(r"; idle [0-9.]+ s set aside \(--idle show\)", subtitle),
      f"of {aside} ns that are idle the picture says {subtitle}")
whole = boxes(dwell("flame", recording.path, "--idle", "show").stdout)
check(whole[0][3] == total + aside, f"with idle all is {whole[0]}, not {total + aside} ns")
check(any(name == "sleep" for depth, name, *_ in whole if depth == 1), "sleep is in it")
check("set aside" in dwell("flame", recording.path, "-f").stderr, "-f says what it sets aside")
check(any("kernel" in facts for _, _, facts, _ in drawn), "kernel frames say so")
check(dwell("flame", recording.path).stdout == off, "redirected stdout is the same picture")
check(dwell("flame", recording.path, "-f").stdout.startswith("<") is False, "-f is folded text")

text = "a;b;c 3\na;d 5\n"
check([box[:2] + box[3:] for box in boxes(draw(text))] ==
      [(0, "all", 8), (1, "a", 8), (2, "b", 3), (3, "c", 3), (2, "d", 5)], "layout")


def pipe(text, *args, status=0):
    result = subprocess.run([DWELL, "flame", *args], input=text, text=True, capture_output=True)
    check(result.returncode == status, f"flame {args}: {result.returncode}: {result.stderr}")
    return result


piped = pipe(text, "--color=io", "--countname=us")
check(boxes(piped.stdout)[4][2] == "5 us, 62.50%", f"a pipe without a file name: {piped.stdout}")
check("reading stdin" in piped.stderr, f"it says that it reads the pipe: {piped.stderr}")
check(pipe(text, "-", "-f").stderr == "", "nothing needs to be said of what was asked for")
shutil.copy(recording.path, "last.dwell")
check(pipe(text, "-f").stdout == text, "a pipe is read although there is a last recording")
empty = pipe("", "-f", status=2)
check("stdin is empty" in empty.stderr and "last.dwell" in empty.stderr and not empty.stdout,
      f"an empty pipe: {empty.stderr}")
for question in (["--view", "oncpu"], ["--by", "thread"], ["-n", "sleep"]):
    check_one_line_error(pipe(text, "-f", *question, status=2), "stdin is a pipe", "last.dwell")
with open("in.folded") as file:
    unread = subprocess.run([DWELL, "flame", "-f"], stdin=file, text=True, capture_output=True)
    check(unread.returncode == 0 and "sleep" in unread.stdout and file.tell() == 0,
          f"a file on stdin, as in a loop, is left alone: {unread.stderr}")
check([box[1] for box in boxes(draw(text, "--reverse"))] == ["all", "c", "b", "a", "d", "a"],
      "--reverse")
check([box[1] for box in boxes(draw(text, "--base", "b"))] == ["all", "a", "d", "b", "c"], "--base")
check([box[1] for box in boxes(draw("a 1\nb 2\na 3\n", "--flamechart"))] == ["all", "a", "b", "a"],
      "--flamechart")
check("+25.00%, new" in draw("a;b 4 4\na;c 0 1\n"), "two columns are a comparison")
thin = boxes(draw("a 100000000\nb;x 1\nc 2\n"))
check(thin[-1][1:] == ("…", "3 frames too thin to draw: 3 samples, 0.00%", 3), f"thin: {thin}")

hostile = draw("a 1\n<script>alert(1)</script>;]]>;\"'&\x01\x1b;{0} 7\n".format("x" * 1_000_000))
check("<script>alert" not in hostile and hostile.count("]]>") == 2, "names are escaped")
check(len(hostile) < 100_000 and "(1,000,000 bytes)" in hostile, "a name of 1 MB is cut")
check(len(boxes(hostile)) == 6, "and it parses")

with open("links", "w") as file:
    file.write("b\thref=https://example.org/b?x=1&y=2\ttarget=_blank\n")
everything = draw(text, *"""--title T --subtitle S --width 800 --height 20 --minwidth 0.5% --colors
    java --bgcolors blue --hash --cp --negate --inverted --notes <n> --total 16 --factor 2
    --countname things --nametype Thing: --fonttype Verdana --fontsize 11 --nameattr links
    --truncate left --deterministic""".split())
check(boxes(everything)[-1][2] == "10 things, 31.25%", f"{boxes(everything)[-1]}")
check('href="https://example.org/b?x=1&amp;y=2"' in everything, "--nameattr")
with open("palette.map") as file:
    check([line.split("->")[0] for line in file] == ["a", "b", "c", "d"], "--cp keeps colours")
check(draw(text, "--hash", "--cp") == draw(text, "--cp"), "kept colours win")

fails("--colors", "hto", words=("hot",))
fails("--width", "wide", words=("--width",))
fails("--bgcolors", "nice", words=("--bgcolors",))
fails("-p", "1", words=("text", "import"))
fails("--view", "wombats", words=("is text", "wombats"))
fails("--view", "ofcpu", words=("is text", "did you mean offcpu?"))
fails("--flamechart", "--view", "wombats", words=("--flamechart", "--view wombats"))
check_one_line_error(dwell("flame", "in.folded", "-o", "x.pdf", status=2), ".svg")
check_one_line_error(dwell("flame", recording.path, "-o", "x.svg", "--flamechart", status=2),
                     "order")
