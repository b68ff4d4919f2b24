"""Boxes in network namespaces of their own, whose links lose packets, break, and let only one direction through.

Loss is made by iptables' statistic match and not by netem, which many kernels of virtual machines lack; so there is loss,
and neither delay nor reordering of packets: those are the simulation's part.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

from system import Box, Broken, Library, check, generator, photos, say


class CannotRun(Exception):
    """What this machine does not allow."""


def sh(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRun(f"{' '.join(words)}: {done.stderr.strip()}")


class Link:
    """A namespace for one box, with a cable to the library."""

    def __init__(self, number, name):
        self.name = f"tt-{os.getpid()}-{number}"
        self.inside, self.outside = f"tti{os.getpid() % 10_000}-{number}", f"tto{os.getpid() % 10_000}-{number}"
        subnet = f"10.{77 + os.getpid() % 100}.{number}"
        self.server = f"{subnet}.1"
        self.hosts = pathlib.Path("/etc/netns") / self.name
        sh("ip", "netns", "add", self.name)
        self.hosts.mkdir(parents=True)
        (self.hosts / "hosts").write_text(f"127.0.0.1 localhost\n{self.server} {name}\n")
        sh("ip", "link", "add", self.outside, "type", "veth", "peer", "name", self.inside, "netns", self.name)
        sh("ip", "addr", "add", f"{self.server}/24", "dev", self.outside)
        sh("ip", "link", "set", self.outside, "up")
        self.within("ip", "addr", "add", f"{subnet}.2/24", "dev", self.inside)
        self.within("ip", "link", "set", self.inside, "up")
        self.within("ip", "link", "set", "lo", "up")
        # Finds out at once whether this kernel can lose packets.
        self.lose(0.5)
        self.heal()

    @property
    def prefix(self):
        return ["ip", "netns", "exec", self.name]

    def within(self, *words):
        sh(*self.prefix, *words)

    def lose(self, share):
        """Loses this share of the packets, in both directions."""
        for chain in ("INPUT", "OUTPUT"):
            self.within("iptables", "-A", chain, "-m", "statistic", "--mode", "random", "--probability", str(share),
                        "-j", "DROP")

    def cut(self, chain):
        """Lets nothing in (`INPUT`: answers are lost) or nothing out (`OUTPUT`: requests are)."""
        self.within("iptables", "-A", chain, "-j", "DROP")

    def reset(self):
        """Answers every packet of a connection with a reset, as a box in the middle does that forgot it."""
        self.within("iptables", "-A", "OUTPUT", "-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")

    def unplug(self):
        self.within("ip", "link", "set", self.inside, "down")

    def heal(self):
        self.within("iptables", "-F")
        self.within("ip", "link", "set", self.inside, "up")

    def remove(self):
        subprocess.run(["ip", "netns", "del", self.name], check=False)
        shutil.rmtree(self.hosts, ignore_errors=True)


def run(programs, folder, count, seed):
    """Breaks the links so many times, while both boxes capture and send all the time."""
    if os.getuid() != 0:
        raise CannotRun("network namespaces need root")
    choice = generator(seed)
    name = socket.gethostname()
    links = []
    library = None
    try:
        for number in range(2):
            links.append(Link(number, name))
        library = Library(programs, folder, host="0.0.0.0", name=name)
        library.start()
        boxes = [Box(programs, folder, f"box{number}", prefix=link.prefix) for number, link in enumerate(links)]
        for box in boxes:
            box.enroll(library)
        breaks = play(boxes, links, folder, count, choice)
        imported = breaks.pop("imported")
        assets = check(library, boxes, imported)
        say(f"  {', '.join(f'{kind} {times}' for kind, times in sorted(breaks.items()))}")
        say(f"  {assets} assets, each once and whole")
    finally:
        if library:
            library.stop()
        for link in links:
            link.remove()


def play(boxes, links, folder, count, choice):
    """Two services that send while their links break; then everything heals and is sent."""
    imported, breaks = set(), {}
    for number, box in enumerate(boxes):
        sizes = [choice.choice([1000, 60_000, 900_000, 3_000_000, 9_000_000]) for _ in range(20)]
        card, digests = photos(folder, number, sizes, choice)
        outcome = box.run("import", str(card))
        if outcome.returncode:
            raise Broken(f"import: {outcome.stderr}")
        imported.update(digests)
    services = [box.start("run") for box in boxes]
    stop = threading.Event()
    failures = []

    def shoot(box, own):
        try:
            while not stop.is_set():
                box.shoot(own.choice(["still", "still", "still", "live"]))
                stop.wait(own.uniform(0, 1))
        except Broken as broken:
            failures.append(broken)

    threads = [threading.Thread(target=shoot, args=(box, generator(choice.random()))) for box in boxes]
    for thread in threads:
        thread.start()
    try:
        for _ in range(count):
            link = choice.choice(links)
            kind = choice.choice(["loss", "answers lost", "requests lost", "unplugged", "reset"])
            breaks[kind] = breaks.get(kind, 0) + 1
            {
                "loss": lambda: link.lose(choice.choice([0.05, 0.15, 0.3])),
                "answers lost": lambda: link.cut("INPUT"),
                "requests lost": lambda: link.cut("OUTPUT"),
                "unplugged": link.unplug,
                "reset": link.reset,
            }[kind]()
            time.sleep(choice.uniform(0.5, 4))
            link.heal()
            time.sleep(choice.uniform(0, 1))
            if failures:
                raise failures[0]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for process in services:
            process.terminate()
            process.communicate()
    for box in boxes:
        box.drain()
    return breaks | {"imported": imported}
