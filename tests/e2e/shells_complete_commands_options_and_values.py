# SPDX-License-Identifier: GPL-2.0-or-later
"""bash, zsh and fish, run with the scripts that `dwell completion` writes, complete every command,
every long option that --help names, and values: words, files, pids and programs."""
import pty
import threading
from lib import *

HELPS = {command: dwell(command, "--help").stdout
         for command in re.findall(r"^  ([a-z]+)  +\S", dwell().stdout, re.M)}
check({"record", "report", "flame", "check"} <= set(HELPS) and "dwell" not in HELPS, f"{list(HELPS)}")
os.makedirs("bin")
os.symlink(DWELL, "bin/dwell")
os.environ["PATH"] = f"{TEMP}/bin:{os.environ['PATH']}"
os.makedirs("home/functions")
os.makedirs("files/folder")
for name in ("a b.dwell", "last.dwell.old", "notes.txt"):
    open(f"files/{name}", "w").close()


def script(shell):
    path = f"home/{shell}"
    with open(path, "w") as file:
        file.write(dwell("completion", shell).stdout)
    run(shell, "-n", path)
    return os.path.abspath(path)


def in_bash(words):
    """Readline has taken = apart from the words around it, as COMP_WORDBREAKS tells it to."""
    given = re.findall(r"=|[^\s=]+", words) + ([""] if words.endswith(" ") else [])
    array = " ".join(f"'{word}'" for word in given)
    text = (f"source {BASH}; cd files; COMP_WORDS=({array}); COMP_CWORD={len(given) - 1};"
            "_dwell; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return run("bash", "--norc", "-c", text).stdout.splitlines()


def in_fish(words):
    result = run("fish", "--no-config", "-c", f"source {FISH}; cd files; complete -C '{words}'",
                 env=dict(os.environ, HOME=os.path.abspath("home")))
    check(result.stderr == "", result.stderr)
    return [re.sub(r"^--[a-z]+=", "", line.split("\t")[0]) for line in result.stdout.splitlines()]


ZSH_NOTES = """
PS1=; unsetopt auto_list auto_menu beep; fpath=($PWD/functions $fpath)
autoload -Uz compinit; compinit -u -D
# Whatever is offered is noted: the real one keeps what fits in `found`.
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
    local -a found; builtin compadd -O found "$@"; print -rl -- $found >> $NOTES
    builtin compadd "$@"
}
noted() { zle complete-word; BUFFER=; print . >> $NOTES }
zle -C complete-word .complete-word _main_complete
zle -N noted; bindkey '^I' noted
cd ../files; print ready > $NOTES
"""


class Zsh:
    """A shell on a terminal of its own, which completes what is typed and notes what it offers."""

    def __init__(self):
        os.rename(script("zsh"), "home/functions/_dwell")
        self.notes = os.path.join(TEMP, "notes")
        open(self.notes, "w").close()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir("home")
            os.execvpe("zsh", ["zsh", "-f", "-i"],
                       dict(os.environ, NOTES=self.notes, TERM="dumb", HOME=os.getcwd()))
        cleanup(lambda: os.close(self.fd))
        with open("home/setup", "w") as file:
            file.write(ZSH_NOTES)
        os.write(self.fd, b"source ./setup\n")
        # Whatever it shows is read, or it would wait for a reader.
        threading.Thread(target=self.read, daemon=True).start()
        wait_until(lambda: open(self.notes).read(), "the start of zsh")

    def read(self):
        try:
            while os.read(self.fd, 4096):
                pass
        except OSError:
            pass

    def __call__(self, words):
        open(self.notes, "w").close()
        os.write(self.fd, words.encode() + b"\t")
        wait_until(lambda: open(self.notes).read().endswith(".\n"), f"zsh completing {words}")
        return [word.rstrip("=").replace("\\ ", " ")
                for word in open(self.notes).read().splitlines()[:-1]]


def check_offers(shell, complete):
    def offers(words, *wanted, without=()):
        got = complete(words)
        missing = set(wanted) - {word.strip() for word in got}
        check(not missing, f"{shell}: {words!r} does not offer {sorted(missing)} but {got[:50]}")
        check(not set(without) & set(got), f"{shell}: {words!r} offers {got[:50]}")

    offers("dwell ", "help", *HELPS)
    offers("dwell rep", "report", without=["record"])
    offers("dwell help ", "words", "report")
    for command, text in HELPS.items():
        offers(f"dwell {command} --", *re.findall(r"^  (?:-., |    )(--[a-z-]+)", text, re.M))
        offers(f"dwell {command} --", *re.findall(r", (--[a-z-]+)", text))
    offers("dwell --", "--duration", "--pid", "--version")
    offers("dwell flame --view ", "offcpu", "chain")
    offers("dwell report --view ", "oncpu", without=["chain"])
    offers("dwell flame --view=off", "offcpu", "offwake", without=["oncpu"])
    offers("dwell report --idle ", "show", "hide", "only")
    offers("dwell report --reason ", "disk", "page-fault")
    offers("dwell report --state ", "running", "runnable", "blocked")
    last_words = {word.strip().split(",")[-1] for word in complete("dwell report --state running,")}
    check({"woken", "blocked"} <= last_words, f"{shell}: behind a comma: {last_words}")
    offers("dwell flame --by ", "comm", "awaited")
    offers("dwell flame --color ", "java", "aqua")
    offers("dwell flame --bgcolors ", "grey")
    offers("dwell record -e ", "page-faults")
    offers("dwell record --user-stacks ", "table", "fp", "none")
    offers(f"dwell record -p {os.getpid()}", str(os.getpid()))
    offers(f"dwell record --tid {os.getpid()}", str(os.getpid()))
    offers("dwell record -- touc", "touch")
    offers("dwell record -d 1s -- touch not", "notes.txt")
    offers("dwell calls libc:malloc -- touc", "touch")
    offers("dwell calls touc", without=["touch"])
    offers("dwell calls f --by ", "process", "thread")
    offers("dwell report ", "a b.dwell", "last.dwell.old", without=["notes.txt"])
    offers("dwell import ", "notes.txt")
    offers("dwell import notes.txt -o ", "a b.dwell", without=["notes.txt"])
    offers("dwell record -d ", without=["notes.txt", "--pid"])


for shell in ("bash", "zsh", "fish"):
    need_tool(shell)
BASH, FISH = script("bash"), script("fish")
check_offers("bash", in_bash)
check_offers("fish", in_fish)
check_offers("zsh", Zsh())
check_one_line_error(dwell("completion", "csh", status=2), "bash, zsh or fish")
