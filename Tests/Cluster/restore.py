#!/usr/bin/env python3
"""A library's database is lost, and restored to a time before the last changes; Tests/Cluster/restore starts this.

    restore.py --programs FOLDER --folder FOLDER --endpoint URL [--count N] [--seed S]

It follows docs/cluster.md#restore-to-a-time, with two servers over one PostgreSQL and the bucket `photos` of the store
at the endpoint, with the key of Tests/ObjectStores. The user postgres must be able to enter the folder.
Exit code: 0 when everything held, 1 otherwise.
"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "RealProcesses"))

from access import Operators  # noqa: E402
from archived import ArchivedDatabase  # noqa: E402
from healing import LEFT_OVER, check_receipts, heal_as_service, heal_by_command  # noqa: E402
from servers import Server  # noqa: E402
from system import Box, Broken, generator, photos, programs_folder, say, wait_for  # noqa: E402

SERVERS = 2
NOT_ALLOWED = 77
# In appends of 64 KiB it takes long enough to be seen, and less than a part of the store's, which is noted elsewhere.
HALF_SIZE = 4 << 20
EDIT = "edited after the time"


class Noted:
    """What a library has at a time, and what comes later."""

    def __init__(self, digests, histories, half, token, noted_time):
        self.time = noted_time
        self.digests = set(digests)
        self.histories = histories
        # The digest of a file of which the library has the first bytes.
        self.half = half
        # A token that nobody has used.
        self.token = token
        # What is saved later: by boxes that can send it again, each by its name, and by one that may not.
        self.later = {}
        self.later_by_revoked = set()
        # The assets that are deleted and edited later.
        self.purged = self.edited = None
        # What is kept of the audit elsewhere: its head, and each entry as a line.
        self.audit_head, self.audit = None, set()

    @property
    def lost(self):
        return self.later_by_revoked.union(*self.later.values())


class Drill:
    """Two boxes that stay, and for each restore one that is revoked and one that enrols too late to be known."""

    def __init__(self, options):
        self.programs, self.folder = options.programs, options.folder
        self.choice = generator(options.seed)
        self.database = ArchivedDatabase(self.folder / "database")
        self.servers = [
            Server(self.programs, self.folder, number, self.database, options.endpoint)
            for number in range(1, SERVERS + 1)
        ]
        self.library = self.commanded = self.serving = None
        self.saved = set()
        # Files whose rows were lost: all of them, and those that no box may send again.
        self.lost, self.given_up = set(), set()
        # Files of which there may be second copies: small ones travel in batches with their bytes, also where the
        # library turns out to have them.
        self.copied = set()
        self.cards = 0
        self.seconds = []

    def create(self):
        self.database.create()
        self.servers[0].run("init")
        for other in self.servers[1:]:
            shutil.copytree(self.servers[0].path, other.path)
        for server in self.servers:
            server.start()
        url = f"https://localhost:{self.servers[0].port}"
        self.library = Operators(self.programs, self.folder, url, SERVERS)
        # The second box saves at the other server.
        other = Operators(self.programs, self.folder, f"https://localhost:{self.servers[1].port}", SERVERS)
        self.commanded, self.serving = self.box("commanded", self.library), self.box("serving", other)

    def end(self):
        for server in self.servers:
            server.kill()
        try:
            self.database.stop()
        except Broken as broken:
            say(f"PostgreSQL may still run: {broken}")

    def run(self, count):
        for number in range(1, count + 1):
            lost = self.restore(number)
            say(f"  {number}: restored and served after {self.seconds[-1]:.0f} s; {lost} receipts had lost their rows, "
                f"and are healed; {len(self.saved)} assets, each once and whole, {len(self.given_up)} files without rows")

    def restore(self, number):
        """Loses the database and restores it once; gives how many receipts had lost their rows, and have them again."""
        revoked = self.box(f"revoked-{number}", self.library)
        boxes = [self.commanded, self.serving, revoked]
        self.save(boxes)
        self.back_up()
        self.save(boxes)
        half = self.upload_half(self.commanded)
        noted = Noted(self.saved, self.library.histories(), half, self.library.token(), self.database.time())
        late = self.change_later(number, noted, revoked)
        self.keep_audit(noted)
        self.database.archive_all()

        self.database.lose()
        outage = self.take_in(self.commanded)
        self.commanded.run("sync", "--once")
        for server in self.servers:
            server.stop()
        began = time.monotonic()
        self.database.restore(noted.time)
        self.servers[0].run("begin-epoch")
        for server in self.servers:
            server.start()
        wait_for("every server answers", self.library.answers)
        self.seconds.append(time.monotonic() - began)

        self.lost |= noted.lost
        self.check_restored(noted)
        self.decide_again(noted, revoked, late)
        history = self.library.histories()[-1]["new"]
        heal_by_command(self.commanded, len(noted.later[self.commanded.path.name]) + len(outage))
        heal_as_service(self.serving, history)
        self.admit_again(late, noted)
        for box in (self.commanded, self.serving, late):
            check_receipts(box, history)
        self.saved |= outage.union(*noted.later.values())
        self.given_up |= noted.later_by_revoked
        self.check_healed()
        self.back_up()
        return sum(len(digests) for digests in noted.later.values())

    # What is done.

    def box(self, name, library):
        box = Box(self.programs, self.folder, name)
        box.enroll(library)
        return box

    def take_in(self, box, sizes=None):
        """Takes files in, without sending them; gives their digests."""
        self.cards += 1
        sizes = sizes or [self.choice.choice([1000, 60_000, 1_500_000]) for _ in range(self.choice.randint(2, 4))]
        card, digests = photos(self.folder, self.cards, sizes, self.choice)
        outcome = box.run("import", str(card))
        if outcome.returncode:
            raise Broken(f"import: {outcome.stderr}")
        shutil.rmtree(card)
        return digests

    def send(self, box):
        """Takes files in and sends them until the box has every receipt; gives their digests."""
        digests = self.take_in(box)
        box.drain()
        return digests

    def save(self, boxes):
        for box in boxes:
            self.saved |= self.send(box)

    def back_up(self):
        """Boxes that wait for a backup may free what was there before it."""
        number = self.library.ask("library", "stats")["lastChange"]
        self.database.back_up()
        self.library.tell("library", "backup", "--external", str(number), "--quiet")
        if self.library.ask("library", "stats").get("backupWatermark") != number:
            raise Broken(f"the library does not count change {number} as backed up")

    def upload_half(self, box):
        """Kills a box while it sends a file, so that the library has the first bytes of it; gives its digest."""
        halves = "SELECT count(*) FROM tintype.upload WHERE durable > 0 AND durable < byte_count"
        for _ in range(10):
            digests = self.take_in(box, [HALF_SIZE])
            process = box.start("sync", "--once")
            wait_for("an upload begins or is over",
                     lambda: process.poll() is not None or self.database.query(halves) != "0")
            process.kill()
            process.communicate()
            # Its last request may still have brought the rest; nobody sends more now.
            if self.database.query(halves) != "0" and not self.has(digests):
                return digests
            box.drain()
            self.saved |= digests
        raise Broken("ten uploads were over before they were seen: is the store's disk so fast?")

    def has(self, digests):
        return digests <= {asset["resources"][0]["digest"] for asset in self.library.assets()}

    def change_later(self, number, noted, revoked):
        """Does what the restored library will not know; gives the box that enrols now."""
        self.commanded.drain()
        noted.later[self.commanded.path.name] = noted.half | self.send(self.commanded)
        noted.later[self.serving.path.name] = self.send(self.serving)
        late = Box(self.programs, self.folder, f"late-{number}")
        self.enroll(late, noted.token)
        noted.later[late.path.name] = self.send(late)
        noted.later_by_revoked = self.send(revoked)
        self.revoke(revoked, "sold")
        mine = [asset["id"] for asset in self.library.assets() if asset["resources"][0]["digest"] in noted.digests]
        noted.purged, noted.edited = self.choice.sample(sorted(mine), 2)
        self.library.tell("asset", "edit", noted.edited, "--title", EDIT, "--quiet")
        self.library.tell("asset", "trash", noted.purged, "--quiet")
        self.library.tell("asset", "purge", noted.purged, "--yes", "--quiet")
        return late

    def revoke(self, box, reason):
        self.library.tell("device", "revoke", self.device(box)["id"], "--reason", reason, "--yes", "--quiet")
        if box.run("sync", "--once").returncode != NOT_ALLOWED:
            raise Broken(f"{box.path.name} was revoked, and may still send")

    def keep_audit(self, noted):
        """As an administrator does every hour, away from the database."""
        noted.audit_head = self.library.tell("audit", "verify", "--quiet").strip()
        noted.audit = set(self.library.tell("audit", "export").splitlines())

    def enroll(self, box, token):
        outcome = box.run("enroll", self.library.url, "--token", token)
        if outcome.returncode:
            raise Broken(f"enrol {box.path.name}: {outcome.stderr}")

    def device(self, box):
        """The device of a box, by its name, as the library has it; None if it does not."""
        devices = self.library.ask("device", "list")["devices"]
        return next((each for each in devices if each["name"] == box.path.name), None)

    def decide_again(self, noted, revoked, late):
        """What was decided later is missing, which the kept audit tells; it is decided again before any box calls."""
        if self.library.tintypectl("audit", "verify", "--expect", noted.audit_head).returncode != 1:
            raise Broken("audit verify does not say that entries of the audit are gone")
        lines = noted.audit - set(self.library.tell("audit", "export").splitlines())
        gone = [json.loads(line)["content"] for line in lines]
        if not any(each["event"] == "revoke" and each.get("reason") == "sold" for each in gone):
            raise Broken(f"the kept audit does not name the revocation: {gone}")
        if not any(each["event"] == "enrol" and each.get("new") == late.path.name for each in gone):
            raise Broken(f"the kept audit does not name the enrolment: {gone}")
        known, unknown = self.device(revoked), self.device(late)
        if not known or known["state"] != "active" or unknown:
            raise Broken(f"the library knows devices as they were later: {known}, {unknown}")
        self.revoke(revoked, "again")

    def admit_again(self, box, noted):
        """The device is unknown: it enrols once more, with the token whose use was lost too, and adopts what it sent."""
        refused = box.run("sync", "--once")
        if refused.returncode != NOT_ALLOWED:
            raise Broken(f"{box.path.name} is unknown, and its sync ends with {refused.returncode}: {refused.stderr}")
        self.enroll(box, noted.token)
        # Its first contact tells of the new history.
        box.run("sync", "--once")
        owed = [entry["id"] for entry in box.queue() if entry["state"] != "committed"]
        if len(owed) != len(noted.later[box.path.name]):
            raise Broken(f"{box.path.name} offers {len(owed)} of {len(noted.later[box.path.name])} assets again")
        outcome = box.run("queue", "retry", "--all", "--adopt")
        if outcome.returncode:
            raise Broken(f"queue retry: {outcome.stderr}")
        box.drain()

    # What has to hold.

    def check_restored(self, noted):
        """Before any box calls: what came before the time is whole, and what came later is bytes without rows."""
        self.library.check(noted.digests, self.folder / "export")
        assets = {asset["id"]: asset for asset in self.library.assets()}
        if noted.purged not in assets or assets[noted.edited].get("title") == EDIT:
            raise Broken("an asset is as it was deleted or edited after the time")
        self.check_unreferenced(noted.lost - noted.half)
        begun = self.library.histories()
        if begun[: len(noted.histories)] != noted.histories:
            raise Broken(f"the histories of before the time were {noted.histories}, and are {begun}")
        # The command's alone, although the restored database is on another timeline.
        begun = begun[len(noted.histories):]
        if [each.get("reason") for each in begun] != ["restored"]:
            raise Broken(f"begin-epoch began {begun}")
        if self.library.ask("library", "stats").get("backupWatermark") is not None:
            raise Broken("the library still counts changes as backed up that it no longer has")

    def check_healed(self):
        """After all boxes called: what they could send is there again, and what they may not is still named."""
        self.library.check(self.saved, self.folder / "export")
        self.copied |= self.saved
        self.check_unreferenced(self.given_up)

    def check_unreferenced(self, wanted):
        """`library verify` names bytes without rows, these among them, only such as may be, and nothing else.

        The bytes of a file that was half there belong to its upload until that is over.
        """
        findings = self.library.findings()
        if others := [each for each in findings if each["kind"] not in LEFT_OVER]:
            raise Broken(f"library verify finds {others}")
        objects = [each["object"] for each in findings if each["kind"] == "unreferencedBytes"]
        found = {name.rpartition("/")[2].partition(".")[0] for name in objects}
        if not wanted <= found <= self.lost | self.copied:
            raise Broken(f"library verify names {len(found)} files as bytes without rows: {len(wanted - found)} of "
                         f"{len(wanted)} are not among them, and {len(found - self.lost - self.copied)} may not be")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=programs_folder)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    # Its servers end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    start = time.monotonic()
    say(f"restore: {options.count}, seed {options.seed}")
    try:
        drill = Drill(options)
        try:
            drill.create()
            drill.run(options.count)
        finally:
            drill.end()
    except Broken as broken:
        say(f"BROKEN after {time.monotonic() - start:.0f} s: {broken}")
        say(f"again: deploy/campaign restore --count {options.count} --seed {options.seed}")
        return 1
    say(f"every promise held, in {time.monotonic() - start:.0f} s")
    return 0


sys.exit(main())
