"""A library and its boxes as real processes, and what has to hold of them whatever was done to them."""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import urllib.parse


class Broken(Exception):
    """A promise that did not hold."""


def say(text):
    print(text, flush=True)


def wait_for(what, holds, seconds=90):
    """Looks until something holds, and gives it."""
    deadline = time.monotonic() + seconds
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > deadline:
            raise Broken(f"never: {what}")
        time.sleep(0.05)


def environment():
    """Without settings of this shell's, and without backtraces of programs that are killed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TINTYPE_")}
    return kept | {"SWIFT_BACKTRACE": "enable=no"}


class Library:
    """The server over a library of its own; `prefix` is put before its command, for a network namespace."""

    def __init__(self, programs, folder, host="127.0.0.1", name="localhost", prefix=()):
        self.program = str(programs / "tintype-server")
        self.path = folder / "library"
        self.log = folder / "server.log"
        self.host, self.prefix = host, list(prefix)
        self.process = None
        self.kills = 0
        # Below those that the system gives to connections going out: none of them can be in the way.
        self.port = random.randrange(10_000, 32_000)
        self.url = f"https://{name}:{self.port}"
        subprocess.run(
            [self.program, "init", "--set", f"library.path={self.path}"],
            check=True, stdout=subprocess.DEVNULL, env=environment(),
        )

    def start(self):
        """Starts it and returns once it listens."""
        before = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, self.program, "serve", "--set", f"library.path={self.path}",
                 "--set", f"server.listen={self.host}:{self.port}"],
                stdout=subprocess.DEVNULL, stderr=log, env=environment(),
            )

        def listens():
            text = self.log.read_bytes()[before:]
            if b" listening address=" in text:
                return True
            if self.process.poll() is not None:
                raise Broken(f"the server ended: {text.decode(errors='replace')[-2000:]}")
            return False

        wait_for("the server listens", listens)

    def kill(self):
        """Ends it wherever it is."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def call(self, method, path, body=None):
        """An operator's call through the socket; what it answers."""
        answer = subprocess.run(
            ["curl", "-sS", "--max-time", "60", "--unix-socket", str(self.path / "admin.sock"), "-X", method,
             "-H", "Content-Type: application/json", *(["-d", json.dumps(body)] if body is not None else []),
             f"http://localhost{path}"],
            check=True, capture_output=True,
        ).stdout
        return json.loads(answer) if answer else {}

    def token(self):
        body = {"maximum": "addOnly", "uses": 1, "expiresSeconds": 3600}
        return self.call("POST", "/v1/admin/enrollment-tokens", body)["token"]

    def assets(self):
        """Every asset, as the operator sees them."""
        found, cursor = [], ""
        while True:
            page = self.call("GET", "/v1/assets?limit=500" + cursor)
            found += page.get("assets", [])
            if not page.get("next"):
                return found
            cursor = "&cursor=" + urllib.parse.quote(page["next"])

    def originals(self):
        """The digests of the plain files, each read whole; a file whose name is not its digest breaks a promise."""
        digests = set()
        for file in (self.path / "originals").rglob("*.*"):
            if not file.is_file():
                continue
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            if not file.name.startswith(digest):
                raise Broken(f"promise 3: {file.name} has other bytes")
            digests.add(digest)
        return digests


class Box:
    """An agent in a folder of its own; `prefix` is put before its commands, for a clock or a network of its own."""

    def __init__(self, programs, folder, name, prefix=()):
        self.program = str(programs / "tintype-agent")
        self.folder = folder
        self.path = folder / name
        self.prefix = list(prefix)
        settings = {
            "agent.path": self.path, "agent.name": name, "library.add.usage": "Proves the promises",
            "sync.contactIntervalSeconds": 5, "sync.appendBytes": 65536,
        }
        self.settings = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        # Shots of which a person was told that they are saved.
        self.reported = set()
        self.kills = 0

    def command(self, *arguments):
        return [*self.prefix, self.program, *arguments, *self.settings]

    def run(self, *arguments, timeout=300):
        """Runs a command to its end."""
        return subprocess.run(
            self.command(*arguments), capture_output=True, text=True, timeout=timeout, env=environment(), check=False
        )

    def enroll(self, library):
        outcome = self.run("enroll", library.url, "--token", library.token())
        if outcome.returncode:
            raise Broken(f"enrol: {outcome.stderr}")

    def start(self, *arguments):
        """Starts a command and gives the process, whose output is its own."""
        return subprocess.Popen(
            self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )

    def kill_after(self, seconds, *arguments):
        """Starts a command and kills it after a while, unless it ends before; notes the shots that it reported."""
        process = self.start(*arguments)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            output, _ = process.communicate()
            self.kills += 1
        self.note(output.decode(errors="replace"))
        return process.returncode

    def note(self, output):
        """Reads the lines that say which shots are saved: `photo ID, 29.5 KiB, lag 3 ms`."""
        for line in output.splitlines():
            words = line.replace(",", " ").split()
            if len(words) > 1 and words[0] in ("photo", "Live") and line.endswith("ms"):
                self.reported.add(next(word for word in words if word.count("-") == 4))

    def shoot(self, mode):
        """Asks the running service for a shot, and notes it once it says that it is saved."""
        def answered():
            return subprocess.run(
                ["curl", "-sS", "--max-time", "30", "--unix-socket", str(self.path / "agent.sock"), "-X", "POST",
                 "http://box/v1/captures", "-d", json.dumps({"mode": mode, "camera": "synthetic-camera"})],
                capture_output=True, check=False,
            ).stdout

        answer = json.loads(wait_for(f"{self.path.name} answers", answered))
        if "captures" not in answer:
            raise Broken(f"no shot: {answer}")
        self.reported.update(capture["id"] for capture in answer["captures"])

    def queue(self):
        outcome = self.run("queue", "list", "--limit", "1000000", "--json")
        if outcome.returncode:
            raise Broken(f"queue list: {outcome.stderr}")
        return json.loads(outcome.stdout or "[]")

    def drain(self):
        """Syncs until nothing is owed."""
        def done():
            outcome = self.run("sync", "--once", "--json")
            return outcome.stdout and json.loads(outcome.stdout).get("outcome") == "nothingToDo"

        wait_for(f"{self.path.name} has sent everything", done, seconds=300)


def photos(folder, number, sizes, generator):
    """Files that begin as JPEGs do, in a folder of their own; gives the folder and their digests."""
    card = folder / f"card-{number}"
    card.mkdir()
    digests = set()
    for index, size in enumerate(sizes):
        content = b"\xff\xd8\xff" + generator.randbytes(16) + bytes(size)
        (card / f"{number}-{index}.jpg").write_bytes(content)
        digests.add(hashlib.sha256(content).hexdigest())
    return card, digests


def check(library, boxes, imported):
    """The promises that are about what is in the library, after every queue is empty."""
    assets = library.assets()
    ids = [asset["id"] for asset in assets]
    if len(ids) != len(set(ids)):
        raise Broken("promise 5: an asset is listed twice")
    reported = set().union(*(box.reported for box in boxes))
    if not reported <= set(ids):
        raise Broken(f"promise 1: {len(reported - set(ids))} shots that were reported are not in the library")
    primary = [asset["resources"][0]["digest"] for asset in assets]
    for digest in imported:
        if primary.count(digest) != 1:
            raise Broken(f"promise 5: a file became {primary.count(digest)} assets")
    named = {resource["digest"] for asset in assets for resource in asset["resources"]}
    # What a batch brought becomes plain files a little after its receipts.
    wait_for("every original is a plain file", lambda: named <= library.originals())
    for box in boxes:
        entries = box.queue()
        for entry in entries:
            if entry["state"] not in ("committed", "freed") or not entry.get("receipt"):
                raise Broken(f"promise 4: {entry['id']} is {entry['state']} on the box")
        left = list((box.path / "spool").iterdir()) if (box.path / "spool").exists() else []
        if left:
            raise Broken(f"promise 14: the spool keeps {left}")
    return len(assets)


def generator(seed):
    """Decides what is done when; how far the processes get meanwhile is left to chance."""
    return random.Random(seed)


def programs_folder(text):
    folder = pathlib.Path(text).resolve()
    for name in ("tintype-agent", "tintype-server"):
        if not (folder / name).exists():
            raise SystemExit(f"there is no {folder / name}: build it first")
    return folder
