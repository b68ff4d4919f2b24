"""Cards to import: folders of which it is known what assets they have to become."""
import hashlib
import struct
import subprocess

from system import environment

# The parts that files play, as they are written.
PHOTO, PAIRED_VIDEO = 1, 9
SIDECAR = """\
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
</rdf:Description></rdf:RDF></x:xmpmeta>
"""


class Card:
    """A folder, and its assets: of each its title, and its files' digests by the part that they play."""

    def __init__(self, folder):
        self.folder = folder
        self.assets = []
        folder.mkdir(parents=True)

    def add(self, files, title=None):
        """Puts the files of one asset there: their endings and contents by the part that they play."""
        stem = f"IMG_{len(self.assets)}"
        digests = {}
        for part, (ending, content) in files.items():
            (self.folder / f"{stem}.{ending}").write_bytes(content)
            digests[part] = hashlib.sha256(content).hexdigest()
        if title:
            (self.folder / f"{stem}.xmp").write_text(SIDECAR.format(title=title))
        self.assets.append((title, digests))


class CardMaker:
    """Makes cards whose files are real ones, and all different."""

    def __init__(self, agent, folder, choice):
        self.choice = choice
        self.folder = folder
        self.count = 0
        for output, option in (("still", []), ("live", ["--live-photo"])):
            subprocess.run(
                [agent, "capture", "--camera", "synthetic-camera", "--output", folder / output, *option],
                check=True, stdout=subprocess.DEVNULL, env=environment(),
            )
        self.still, = (file.read_bytes() for file in (folder / "still").glob("*.JPG"))
        self.live_still, = (file.read_bytes() for file in (folder / "live").glob("*.JPG"))
        self.movie, = (file.read_bytes() for file in (folder / "live").glob("*.MOV"))

    def card(self):
        """A Live Photo, and mostly more: a photo with a sidecar, and photos of several sizes."""
        self.count += 1
        card = Card(self.folder / f"card-{self.count}")
        card.add({PHOTO: ("JPG", self.distinct(self.live_still)), PAIRED_VIDEO: ("MOV", self.distinct_movie())})
        # What is alone is written in another way than what comes with others.
        if self.choice.random() < 0.25:
            return card
        card.add({PHOTO: ("JPG", self.distinct(self.still))}, title=f"Card {self.count}")
        for _ in range(self.choice.randrange(4)):
            card.add({PHOTO: ("JPG", self.distinct(self.still, self.choice.choice([1000, 60_000, 600_000])))})
        return card

    def distinct(self, jpeg, size=16):
        """With comments behind its beginning."""
        comments = b""
        while size > 0:
            text = self.choice.randbytes(min(size, 60_000))
            comments += b"\xff\xfe" + struct.pack(">H", len(text) + 2) + text
            size -= len(text)
        return jpeg[:2] + comments + jpeg[2:]

    def distinct_movie(self):
        """With a box of free space behind its end."""
        space = self.choice.randbytes(self.choice.choice([16, 100_000]))
        return self.movie + struct.pack(">I4s", 8 + len(space), b"free") + space
