"""What a box whose power was cut had reported, and whether its disk still has it."""
import hashlib
import json
import re
import shutil
import subprocess

from cards import PAIRED_VIDEO, PHOTO
from system import Broken, environment

SHOT = re.compile(r"(photo|Live Photo) (\S+), .+, lag \S+ ms( \(.+\))?$")
IMPORT = re.compile(r"(\d+) new(?: \(\d+ Live Photos?\))?, (\d+) known, (\d+) no media(?:, .+)?\.$")
# As a set of media subtypes is written.
PHOTO_LIVE = 8


def is_report(line):
    return bool(SHOT.match(line) or IMPORT.match(line))


def is_shot(asset):
    """Whether it was taken here, also where the power took what was known of it: an import's identifier is made of the
    photo's digest (UUID version 8)."""
    return asset[14] != "8"


class Promised:
    """The shots and cards that were reported as taken in, and the assets that a start has found."""

    def __init__(self, agent, folder):
        self.agent = agent
        self.folder = folder
        # By their identifiers: whether a movie was reported with the still.
        self.shots = {}
        self.cards = []
        # The card whose import the last cut has hit, perhaps before anything of it was written.
        self.unfinished = []
        self.found = {}

    def note(self, lines, cards):
        """Reads what a machine told, which was to take in the unfinished card and then these."""
        waiting = self.unfinished + cards
        for line in lines:
            if line.startswith("BROKEN"):
                raise Broken(f"the machine says: {line}")
            if shot := SHOT.match(line):
                self.shots[shot[2]] = shot[1] == "Live Photo"
            elif summary := IMPORT.match(line):
                card = waiting.pop(0)
                new, known, skipped = (int(number) for number in summary.groups())
                if new + known != len(card.assets) or known and card not in self.unfinished or skipped:
                    raise Broken(f"{card.folder.name} has {len(card.assets)} assets, and was taken in as: {line}")
                self.cards.append(card)
        self.unfinished = waiting[:1]

    def look(self, image, mode):
        """What a start of the agent finds: all that was reported, and whole what else there is.

        What is new since the last look was captured in this mode, or came from a card.
        """
        # Replays the file system's journal, as the machine's next start would; 1 says that it did.
        if subprocess.run(["e2fsck", "-f", "-y", image], capture_output=True, check=False).returncode > 1:
            raise Broken("the file system is beyond repair")
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        subprocess.run(["debugfs", "-R", f"rdump /box {copy}", image], capture_output=True, check=True)
        entries = self.entries(copy / "box")
        for asset, entry in self.found.items():
            if entries.get(asset, {}).get("manifest") != entry["manifest"]:
                raise Broken(f"promise 1: {asset} was there after an earlier cut, and is gone or another")
        self.check_shots(entries, mode, copy / "box/originals")
        self.check_cards(entries, self.cards)
        # On the copy, since the next machine repeats it for itself.
        for card in self.unfinished:
            self.repeat_import(card, copy / "box")
        self.found = entries

    def entries(self, box):
        """The queue, of which each entry's files are what it says, and beside which there is nothing."""
        listed = subprocess.run(
            [self.agent, "queue", "list", "--limit", "1000000", "--json", "--set", f"agent.path={box}"],
            capture_output=True, text=True, env=environment(), check=False,
        )
        if listed.returncode:
            raise Broken(f"the agent does not start: {listed.stderr}")
        entries = {}
        for entry in json.loads(listed.stdout):
            if entry["id"] in entries:
                raise Broken("promise 5: an asset is in the queue twice")
            entries[entry["id"]] = entry
            if entry["state"] != "captured":
                raise Broken(f"promise 1: {entry['id']} is {entry['state']}: {entry.get('problem')}")
            files = media(box / "originals" / entry["id"])
            digests = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
            if digests != sorted(resource["digest"] for resource in entry["manifest"]["resources"]):
                raise Broken(f"promise 3: the files of {entry['id']} are not what was captured")
        for name, expected in (("originals", set(entries)), ("spool", set())):
            folder = box / name
            there = {file.name for file in folder.iterdir()} if folder.exists() else set()
            if there != expected:
                raise Broken(f"promise 14: {name} keeps {sorted(there - expected)}, which are no assets")
        return entries

    def check_shots(self, entries, mode, originals):
        """Every reported shot is there as it was reported, and every other one is whole, too."""
        gone = sorted(set(self.shots) - set(entries))
        if gone:
            raise Broken(f"promise 1: reported shots are gone: {gone}")
        for asset, entry in entries.items():
            manifest = entry["manifest"]
            if not is_shot(asset):
                continue
            parts = [resource["type"] for resource in manifest["resources"]]
            is_live, is_incomplete = manifest["mediaSubtypes"] == PHOTO_LIVE, entry["isIncompleteLivePhoto"]
            if parts != ([PHOTO, PAIRED_VIDEO] if is_live else [PHOTO]) or is_live and is_incomplete:
                raise Broken(f"promise 6: {asset} is a half: {entry}")
            if asset in self.shots and self.shots[asset] != is_live:
                raise Broken(f"promise 6: {asset} was reported with another number of files: {entry}")
            if asset not in self.found and mode != ("Live Photos" if is_live or is_incomplete else "stills"):
                raise Broken(f"promise 6: {asset} is no shot that was asked for among {mode}: {entry}")
            if asset not in self.found and asset not in self.shots:
                # Its digests may be of what the cut had left of it.
                self.check_media(originals / asset, entry)

    def check_media(self, folder, entry):
        """The still and the movie can be played to their ends."""
        for file in media(folder):
            played = subprocess.run(
                ["ffmpeg", "-v", "error", "-xerror", "-i", file, "-f", "null", "-"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            )
            if played.returncode or played.stderr:
                raise Broken(f"promise 3: {entry['id']} was taken in torn: {file.name}: {played.stderr}")

    def check_cards(self, entries, complete):
        """What came from cards is one of their assets, with all its files and words; of some cards all are there."""
        expected = {digests[PHOTO]: (title, digests)
                    for card in [*self.cards, *self.unfinished] for title, digests in card.assets}
        taken = []
        for asset, entry in entries.items():
            manifest = entry["manifest"]
            if is_shot(asset):
                continue
            digests = {resource["type"]: resource["digest"] for resource in manifest["resources"]}
            if (manifest.get("title"), digests) != expected.get(digests.get(PHOTO)):
                raise Broken(f"promise 6: {asset} is no asset of a card, or a half: {entry}")
            taken.append(digests[PHOTO])
        for card in complete:
            for _, digests in card.assets:
                if taken.count(digests[PHOTO]) != 1:
                    raise Broken(f"promise 5: a file of {card.folder.name} is {taken.count(digests[PHOTO])} assets")
        if len(set(taken)) != len(taken):
            raise Broken("promise 5: a file became two assets")

    def repeat_import(self, card, box):
        """An import that was cut can be repeated, and is whole then."""
        outcome = subprocess.run(
            [self.agent, "import", card.folder, "--set", f"agent.path={box}", "--set", "queue.reserveBytes=1048576"],
            capture_output=True, text=True, env=environment(), check=False,
        )
        if outcome.returncode:
            raise Broken(f"the import of {card.folder.name} cannot be repeated: {outcome.stderr}")
        self.check_cards(self.entries(box), [*self.cards, card])


def media(folder):
    """The files of an asset without those that describe it, and what these are first written to."""
    return [file for file in folder.iterdir() if file.suffix != ".json" and not file.name.startswith(".")]
