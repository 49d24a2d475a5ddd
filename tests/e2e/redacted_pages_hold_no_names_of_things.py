# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads wait for files, sockets and a terminal whose paths, names and addresses are found nowhere else.
The page holds them; with --redact neither its words nor its data do, while ports and kinds are kept."""
import base64
import gzip
import html
from lib import *

FOLDER, ADDRESS, NAME = os.path.join(TEMP, "secret-folder"), "127.77.7.7", "secret-abstract"
SECRETS = {"things": [f"{FOLDER}/fifo", f"{FOLDER}/locked", "/dev/pts/"],
           "sockets": [f"{FOLDER}/socket-to", f"{FOLDER}/socket-from", f"{FOLDER}/socket-listen", f"@{NAME}", ADDRESS]}
# Parts of them, which must not be left over either.
FRAGMENTS = ["secret-folder", "secret-abstract", "127.77", "socket-to", "socket-from", "socket-listen"]


def contents(path, *args):
    """All text of a page: as it stands in the file, as it is read, and unpacked."""
    dwell("html", *args, path, "-o", "page.html")
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    packed = re.search(r'id="dwell-data">([A-Za-z0-9+/=]*)</script>', text).group(1)
    data = gzip.decompress(base64.b64decode(packed))
    head = json.dumps(json.loads(data[4:4 + int.from_bytes(data[:4], "little")]), ensure_ascii=False)
    return "\n".join((text.replace(packed, ""), html.unescape(text.replace(packed, "")), head,
                      data.decode("utf-8", "replace")))


os.mkdir(FOLDER)
# The command's words are in the page, too: these have none of them.
os.environ.update(ABOUT_FOLDER=FOLDER, ABOUT_ADDRESS=ADDRESS, ABOUT_NAME=NAME)
wrong = []
for name, secrets in SECRETS.items():
    recording = record("-q", command=["sh", "-c", 'exec "$0" "$ABOUT_FOLDER" "$ABOUT_ADDRESS" "$ABOUT_NAME"', workload(name)])
    whole, redacted = contents(recording.path), contents(recording.path, "--redact")
    wrong += [f"{secret} is not in the page of {name}" for secret in secrets if secret not in whole]
    wrong += [f"{secret} is in the redacted page of {name}" for secret in secrets + FRAGMENTS if secret in redacted]
    for thing in recording.log["things"]:
        if thing["kind"] == "tcp to" and str(thing["port"]) not in redacted:
            wrong.append(f"port {thing['port']} is not in the redacted page of {name}")
check(not wrong, "\n".join(wrong))
