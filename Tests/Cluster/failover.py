#!/usr/bin/env python3
"""An asynchronous standby takes over without changes that were confirmed; Tests/Cluster/run starts this.

    failover.py --programs FOLDER --folder CLUSTER --port N --servers N --boxes FOLDER [--count N] [--seed S] [--debug]

The servers have to notice by themselves and to begin a new history, and the boxes to send again what was lost.
Exit code: 0 when everything held, 1 otherwise.
"""
import argparse
import pathlib
import random
import shutil
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "RealProcesses"))

from access import Cluster  # noqa: E402
from healing import LEFT_OVER, check_receipts, heal_as_service, heal_by_command  # noqa: E402
from system import Box, Broken, generator, photos, programs_folder, say, wait_for  # noqa: E402

LOST = "the database lost confirmed changes: a new history begins"


class Campaign:
    """Two boxes, one that is synced by command and one that runs as a service, and what has to hold of them."""

    def __init__(self, options):
        self.cluster = Cluster(
            options.programs, options.folder, options.port, options.servers, ["--debug"] if options.debug else []
        )
        self.folder = options.boxes
        self.folder.mkdir(exist_ok=True)
        self.choice = generator(options.seed)
        self.boxes = [Box(options.programs, self.folder, name) for name in ("commanded", "serving")]
        for box in self.boxes:
            box.enroll(self.cluster)
        self.imported = set()
        self.cards = 0
        self.receipts_lost = 0
        self.edits = self.edits_lost = 0
        self.seconds = []

    def run(self, count):
        for number in range(1, count + 1):
            self.fail_over(number)
            say(f"  {number}: {self.receipts_lost} receipts lost their rows so far, and all are healed; first write "
                f"after {self.seconds[-1]:.0f} s; {self.check()} assets, each once and whole")
        histories = self.fail_over_synchronously()
        waits = f"{statistics.median(self.seconds):.1f} s (at most {max(self.seconds):.1f} s)" if count else "no wait"
        say(f"{count} failovers: {self.receipts_lost} receipts whose rows were lost, all healed; {self.edits_lost} of "
            f"{self.edits} operators' edits gone; first write {waits} after the kill")
        say(f"and one with a synchronous standby: 0 receipts lost, {histories} new histories")

    def fail_over(self, number):
        cluster = self.cluster
        cluster.set_synchronous(False)
        cluster.wait_for_asynchronous()
        for box in self.boxes:
            self.take_in(box)
        before, counted = cluster.histories(), cluster.counted_histories()
        standby = cluster.standby()
        wait_for("the standby has everything", lambda: cluster.change(standby) == cluster.change())
        cluster.cut_off_standby()
        lost = [self.take_in(box) for box in self.boxes]
        edited = self.edit()
        missing = cluster.receipts() - cluster.receipts(standby)
        if missing != sum(lost):
            raise Broken(f"the standby was to lack {sum(lost)} receipts, and lacks {missing}")
        marks = cluster.marks()
        self.seconds.append(self.kill_primary(f"after failover {number}"))
        history = self.check_history(before, counted, marks)
        cluster.join_standby()
        commanded, serving = self.boxes
        heal_by_command(commanded, lost[0])
        heal_as_service(serving, history)
        self.receipts_lost += missing
        self.edits_lost += self.is_gone(edited)
        self.check_boxes(history)

    def fail_over_synchronously(self):
        """The same without a loss, for comparison; gives how many histories began."""
        for box in self.boxes:
            self.take_in(box)
        before, receipts = self.cluster.histories(), self.cluster.receipts()
        self.kill_primary("after the synchronous failover")
        if self.cluster.receipts() != receipts:
            raise Broken(f"a synchronous standby lacks {receipts - self.cluster.receipts()} receipts")
        self.cluster.join_standby()
        for box in self.boxes:
            box.drain()
        histories = self.cluster.histories()
        if histories:
            self.check_boxes(histories[-1]["new"])
        self.check()
        return len(histories) - len(before)

    # What is done.

    def take_in(self, box):
        """Takes files in and sends them until the box has every receipt; gives how many."""
        self.cards += 1
        sizes = [self.choice.choice([1000, 60_000, 400_000, 1_500_000]) for _ in range(self.choice.randint(2, 5))]
        card, digests = photos(self.folder, self.cards, sizes, self.choice)
        outcome = box.run("import", str(card))
        if outcome.returncode:
            raise Broken(f"import: {outcome.stderr}")
        shutil.rmtree(card)
        box.drain()
        self.imported |= digests
        return len(digests)

    def edit(self):
        """Edits an asset that the standby has, without it knowing."""
        asset = self.choice.choice([asset["id"] for asset in self.cluster.assets() if not asset.get("isFavorite")])
        outcome = self.cluster.tintypectl("asset", "edit", asset, "--favourite", "--quiet")
        if outcome.returncode:
            raise Broken(f"asset edit: {outcome.stderr}")
        self.edits += 1
        return asset

    def is_gone(self, edited):
        """Whether an edit is; no box can bring it back."""
        return any(asset["id"] == edited and not asset.get("isFavorite") for asset in self.cluster.assets())

    def kill_primary(self, title):
        """Kills it for good, and gives the seconds until a server takes a change."""
        began = time.monotonic()
        self.cluster.control("kill", "primary")
        wait_for("a server takes a change again", lambda: self.cluster.writes(title), seconds=180)
        seconds = time.monotonic() - began
        wait_for("every server answers again", self.cluster.answers)
        return seconds

    # What has to hold.

    def check_history(self, before, counted, marks):
        """One new history, by a server itself, and said by all of them; gives it."""
        histories = self.cluster.histories()
        begun = histories[len(before):]
        if histories[: len(before)] != before or len(begun) != 1:
            raise Broken(f"changes were lost, and {len(begun)} new histories began: {begun}")
        # The reason of a person's, by `tintype-server begin-epoch`, is another.
        if begun[0]["actor"] != "server" or begun[0].get("reason") in (None, "restored"):
            raise Broken(f"the history did not begin by itself: {begun[0]}")
        if not any(LOST in text for text in self.cluster.said(marks)):
            raise Broken("no server's log says that changes were lost")

        expected = [count + 1 for count in counted]
        wait_for("every server counts one new history", lambda: self.cluster.counted_histories() == expected)
        return begun[0]["new"]

    def check_boxes(self, history):
        for box in self.boxes:
            check_receipts(box, history)

    def check(self):
        """Every file that was ever taken in is one asset, for every server, and comes back as it was."""
        self.cluster.check(self.imported, self.folder / "export")
        found = [each for each in self.cluster.findings() if each["kind"] not in LEFT_OVER]
        if found:
            raise Broken(f"library verify finds {found}")
        return len(self.imported)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=programs_folder)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--boxes", required=True, type=pathlib.Path)
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--servers", required=True, type=int)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--debug", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    say(f"failover: {options.count}, seed {options.seed}")
    try:
        Campaign(options).run(options.count)
    except Broken as broken:
        say(f"BROKEN after {time.monotonic() - start:.0f} s: {broken}")
        say(f"again: deploy/campaign failover --count {options.count} --seed {options.seed}")
        return 1
    say(f"every promise held, in {time.monotonic() - start:.0f} s")
    return 0


sys.exit(main())
