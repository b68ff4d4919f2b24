"""Boxes whose disks are really full: they capture, take in and send while a file eats the room and gives it back.

Their disks are small file systems, seen by this process and its programs alone, which go with them however they end.
"""
import collections
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import threading

from cards import PAIRED_VIDEO, PHOTO, CardMaker
from network import CannotRun, sh
from promised import IMPORT, PHOTO_LIVE, SHOT
from system import Box, Broken, Library, check, environment, generator, say, wait_for

CLONE_NEWNS = 0x20000
DISK_BYTES = 48 << 20
# The least that the agent keeps free: what it looks for in vain can be gone when it writes.
SETTINGS = ["--set", "queue.reserveBytes=1048576"]
# Originals that were saved go: on one disk at once, on the other, where they are encrypted, when there is no room.
DISKS = {
    "tmpfs": ["--set", "queue.retentionDays=0"],
    "ext4": ["--set", "queue.whenFull=dropSaved", "--set", "queue.encryption=on"],
}
# What the help says of each command, where the library is there and nobody has to decide anything.
EXITS = {"capture": (0, 1, 73), "import": (0, 1, 73), "sync": (0, 1, 3, 73)}
OF_ROOM = re.compile(r"\b(room|full|free|No space left)\b")
CAPTURE = ["capture", "--camera", "synthetic-camera"]
# Short movies, since much has to happen in little time.
PROFILE = """\
live:
  preRollMilliseconds: 500
  postRollMilliseconds: 500
"""


class Filler(threading.Thread):
    """Eats the room of a disk and gives it back, when and as far as is drawn, until it is stopped."""

    def __init__(self, disk, choice):
        super().__init__()
        self.disk = disk
        self.choice = choice
        self.file = open(disk / "filler", "wb", buffering=0)
        self.stopped = threading.Event()

    def run(self):
        # Plenty in between: a command that finds no room at its beginning writes nothing that can be cut off.
        while not self.stopped.wait(self.choice.uniform(0, 0.4)):
            self.leave(self.choice.randint(0, self.choice.choice([0, 1 << 14, 1 << 18, 1 << 20, 1 << 22])))
            if not self.stopped.wait(self.choice.uniform(0, 0.1)):
                self.leave(self.choice.randint(1 << 22, DISK_BYTES))

    def leave(self, room):
        """Leaves so much room, or what others have left of it."""
        while (spare := self.room() - room) > 0:
            try:
                self.file.write(bytes(min(spare, 1 << 20)))
            except OSError:
                return
        self.file.truncate(max(0, self.file.tell() + spare))
        self.file.seek(0, os.SEEK_END)

    def room(self):
        status = os.statvfs(self.disk)
        return status.f_bavail * status.f_frsize

    def stop(self):
        """Gives everything back."""
        self.stopped.set()
        self.join()
        self.file.truncate(0)
        self.file.close()


class SmallBox(Box):
    """An agent on a small disk of its own, whose commands are judged by how they end."""

    def __init__(self, programs, folder, kind):
        self.disk = folder / f"disk-{kind}"
        self.disk.mkdir()
        if kind == "tmpfs":
            sh("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tintype", str(self.disk))
        else:
            image = folder / "image"
            with open(image, "wb") as file:
                file.truncate(DISK_BYTES)
            # Blocks of a page, as on disks of more than 512 MB: SQLite asks for one byte of each page that it maps, and
            # ends by SIGBUS at a page whose other blocks find no room.
            sh("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", str(image))
            sh("mount", "-o", "loop", str(image), str(self.disk))
        super().__init__(programs, self.disk, kind)
        self.settings += SETTINGS + DISKS[kind]
        self.errors = folder / f"{kind}.log"
        # By the shots' identifiers: whether a movie was reported with the still.
        self.shots = {}
        # By the cards: how many of their assets were reported.
        self.cards = {}
        # How often commands were refused by the agent's own limit, and how often by the disk.
        self.ends = collections.Counter()

    def judge(self, command, code, text):
        """A command may fail in the ways that its help tells, and says that there is no room."""
        with open(self.errors, "a", encoding="utf-8") as log:
            log.write(f"{command} ended with {code}: {text}\n")
        if code < 0:
            raise Broken(f"{command} ended by {signal.Signals(-code).name}: {text[-2000:]}")
        if "Fatal error" in text or code not in EXITS[command]:
            raise Broken(f"{command} ended with {code}: {text[-2000:]}")
        if code == 0:
            return
        if not OF_ROOM.search(text):
            raise Broken(f"{command} ended with {code}, and does not say that there is no room: {text[-2000:]}")
        self.ends["refused by its limit" if "queue.reserveBytes" in text else "stopped by the disk"] += 1

    def act(self, *arguments, seconds=None, card=None):
        """Runs a command, kills it after so many seconds, and notes what it reported."""
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment())
        try:
            output, errors = process.communicate(timeout=seconds or 120)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            if not seconds:
                raise Broken(f"{arguments[0]} does not end: {output} {errors}") from None
            self.kills += 1
        else:
            self.judge(arguments[0], process.returncode, output + errors)
        for line in output.splitlines():
            if shot := SHOT.match(line):
                self.shots[shot[2]] = shot[1] == "Live Photo"
                self.reported.add(shot[2])
            elif summary := IMPORT.match(line):
                taken = int(summary[1]) + int(summary[2])
                if taken > len(card.assets) or process.returncode == 0 and taken != len(card.assets):
                    raise Broken(f"{card.folder.name} has {len(card.assets)} assets, and was taken in as: {line}")
                self.cards[card] = max(self.cards[card], taken)
        return process.returncode

    def suffer(self, choice, profile, makes, has_service):
        """Commands of all kinds, of which some are killed, while the room comes and goes."""
        for _ in range(choice.randint(2, 5)):
            seconds = choice.uniform(0, 1.5) if choice.random() < 0.2 else None
            work = choice.choice(["stills", "Live Photos", "card", "card"] + (["sync"] if not has_service else []))
            if work == "stills":
                self.act(*CAPTURE, "--count", str(choice.randint(1, 20)), seconds=seconds)
            elif work == "Live Photos":
                # A service takes shots by profiles of its own.
                short = [] if has_service else ["--profile", str(profile)]
                self.act(*CAPTURE, "--live-photo", *short, "--count", str(choice.randint(1, 2)), seconds=seconds)
            elif work == "sync":
                self.act("sync", "--once", seconds=seconds)
            else:
                unfinished = [card for card, taken in self.cards.items() if taken < len(card.assets)]
                if unfinished and choice.random() < 0.5:
                    card = choice.choice(unfinished)
                else:
                    card = makes.card()
                    # Long enough that the room goes while it is copied.
                    card.add({PHOTO: ("JPG", makes.distinct(makes.still, choice.randint(0, 4_000_000)))})
                    self.cards[card] = 0
                self.act("import", str(card.folder), seconds=seconds, card=card)

    @contextlib.contextmanager
    def service(self):
        """The box as a service, which has to outlive its disk's being full."""
        with open(self.errors, "ab") as log:
            process = subprocess.Popen(self.command("run"), stdout=log, stderr=log, env=environment())
        try:
            wait_for("the service listens", self.answers)
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired as late:
                process.kill()
                raise Broken("a service does not end within a minute of SIGTERM") from late

    def answers(self):
        """Whether a service listens: until then another command finds the queue locked."""
        return subprocess.run(
            ["curl", "-s", "--max-time", "5", "--unix-socket", str(self.path / "agent.sock"), "http://box/v1/alive"],
            stdout=subprocess.DEVNULL, check=False,
        ).returncode == 0

    def recover(self):
        """With room again a capture and a sync succeed, and nothing is left lying about."""
        self.check_database()
        for command in (CAPTURE, ["sync", "--once"]):
            if self.act(*command):
                raise Broken(f"promise 14: with room again {command[0]} fails: {self.errors.read_text()[-2000:]}")
        findings = json.loads(self.run("doctor", "--json").stdout)
        # What was saved may fill the other disk up to the reserve: it goes when there has to be room.
        bad = [finding for finding in findings if finding["verdict"] == "bad" and finding["check"] != "disk"]
        if bad:
            raise Broken(f"the doctor finds {bad}")
        entries = {entry["id"]: entry for entry in self.queue()}
        if gone := self.reported - set(entries):
            raise Broken(f"promise 1: reported shots are not in the queue: {sorted(gone)}")
        primary = collections.Counter(entry["manifest"]["resources"][0]["digest"] for entry in entries.values())
        for card, taken in self.cards.items():
            found = [primary[digests[PHOTO]] for _, digests in card.assets]
            if max(found) > 1 or sum(found) < taken:
                raise Broken(f"promise 1: of {card.folder.name} {taken} assets were reported, and there are {found}")
        kept = {asset for asset, entry in entries.items() if entry["state"] != "freed"}
        for name, expected in (("originals", kept), ("spool", set())):
            folder = self.path / name
            there = {file.name for file in folder.iterdir()} if folder.exists() else set()
            if there != expected:
                wrong = f"{sorted(there - expected)} too much, {sorted(expected - there)} too little"
                raise Broken(f"promise 14: {name} has {wrong}")

    def check_database(self):
        """Looks at a copy, since SQLite mends what it opens."""
        copy = self.disk.parent / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in ("state.sqlite", "state.sqlite-wal"):
            if (self.path / name).exists():
                shutil.copy(self.path / name, copy)
        try:
            with contextlib.closing(sqlite3.connect(copy / "state.sqlite")) as database:
                found = database.execute("PRAGMA integrity_check").fetchall()
                found += database.execute("PRAGMA foreign_key_check").fetchall()
        except sqlite3.Error as error:
            found = error
        if found != [("ok",)]:
            raise Broken(f"the database is damaged: {found}")


def run(programs, folder, count, seed):
    """So many times each, in turns: the room comes and goes; then it is back, and the box has to be well again."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise CannotRun(f"mounts of its own need root: {os.strerror(ctypes.get_errno())}")
    sh("mount", "--make-rprivate", "/")
    choice = generator(seed)
    profile = folder / "live.yaml"
    profile.write_text(PROFILE)
    boxes = []
    library = Library(programs, folder)
    try:
        for kind in DISKS:
            boxes.append(SmallBox(programs, folder, kind))
        library.start()
        for box in boxes:
            box.enroll(library)
        makes = CardMaker(programs / "tintype-agent", folder, choice)
        for number in range(count):
            turn(boxes[number % len(boxes)], choice, profile, makes)
            if (number + 1) % 20 == 0:
                say(f"  {number + 1} times full and well again")
        for box in boxes:
            for card in box.cards:
                if box.act("import", str(card.folder), card=card):
                    raise Broken(f"promise 14: with room again {card.folder.name} is not taken in")
            box.drain()
            box.recover()
        cards = [card for box in boxes for card in box.cards]
        assets = check(library, boxes, {digests[PHOTO] for card in cards for _, digests in card.assets})
        check_whole(library, boxes, cards)
    except Broken:
        # Their disks go with this process.
        for box in boxes:
            subprocess.run(["cp", "-a", box.disk, folder / f"{box.path.name}-as-it-was"], check=False)
        raise
    finally:
        library.stop()
        for box in boxes:
            subprocess.run(["umount", "--lazy", box.disk], check=False)
    for box in boxes:
        ends = ", ".join(f"{times} {end}" for end, times in [*sorted(box.ends.items()), ("killed", box.kills)])
        say(f"  {box.path.name}: {len(box.shots)} shots and {len(box.cards)} cards; commands: {ends}")
    say(f"  {assets} assets, each once and whole")


def turn(box, choice, profile, makes):
    """Some commands in trouble, with a service or without one; then with room."""
    has_service = choice.random() < 0.3
    with box.service() if has_service else contextlib.nullcontext() as service:
        filler = Filler(box.disk, generator(choice.random()))
        filler.start()
        try:
            box.suffer(choice, profile, makes, has_service)
            if service and choice.random() < 0.3:
                service.kill()
                service.wait()
                box.kills += 1
        finally:
            filler.stop()
        if service and service.returncode is None and (box.act(*CAPTURE) or service.poll() is not None):
            raise Broken(f"the service has not outlived it: {box.errors.read_text()[-2000:]}")
    if service and service.returncode not in (0, -signal.SIGKILL):
        raise Broken(f"the service ended with {service.returncode}: {box.errors.read_text()[-2000:]}")
    box.recover()


def check_whole(library, boxes, cards):
    """Each asset has all its parts in the library, and what was captured can be read to its end."""
    there = {asset["id"]: {resource["type"]: resource["digest"] for resource in asset["resources"]}
             for asset in library.assets()}
    for card in cards:
        for _, digests in card.assets:
            if list(there.values()).count(digests) != 1:
                raise Broken(f"promise 6: an asset of {card.folder.name} is not whole in the library")
    originals = {file.name.split(".")[0]: file for file in (library.path / "originals").rglob("*.*")}
    for box in boxes:
        for entry in box.queue():
            manifest, digests = entry["manifest"], there[entry["id"]]
            if digests != {resource["type"]: resource["digest"] for resource in manifest["resources"]}:
                raise Broken(f"promise 6: {entry['id']} has other parts in the library: {digests}")
            if "captureFacts" not in manifest:
                continue
            is_live = manifest["mediaSubtypes"] == PHOTO_LIVE
            parts = {PHOTO, PAIRED_VIDEO} if is_live else {PHOTO}
            if set(digests) != parts or box.shots.get(entry["id"], is_live) != is_live:
                raise Broken(f"promise 6: {entry['id']} is a half: {entry}")
            for digest in digests.values():
                if not is_complete(originals[digest].read_bytes()):
                    raise Broken(f"promise 6: {originals[digest]} of {entry['id']} was cut off when it was written")


def is_complete(content):
    """Whether a JPEG has its end, or a movie's boxes fill it."""
    if content.startswith(b"\xff\xd8"):
        return content.endswith(b"\xff\xd9")
    place, kinds = 0, set()
    while place + 8 <= len(content):
        size, kind = struct.unpack_from(">I4s", content, place)
        if size == 1:
            size, = struct.unpack_from(">Q", content, place + 8)
        kinds.add(kind)
        place += max(size, 8)
    return place == len(content) and {b"ftyp", b"moov", b"mdat"} <= kinds
