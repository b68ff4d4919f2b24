"""A box like a Raspberry Pi Zero with a slow card: a quarter of a core, 200 MB of memory, 10 MB/s, 50 flushes a second.

Its agent runs with a camera of 1080p at 30 frames a second, and takes photos and Live Photos by its interval. The limits
are the kernel's (control groups, a loop device); only the duration of a flush is made by a library that is preloaded.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

from network import CannotRun, sh
from system import Box, Broken, environment, say, wait_for

CLONE_NEWNS = 0x20000
DISK_BYTES = 512 << 20
BYTES_PER_SECOND = 10 << 20
FLUSH_MILLISECONDS = 20
MEMORY_BYTES = 200 << 20
CPU_SHARE = 0.25
INTERVAL_SECONDS = {"still": 3, "live": 10}
# What the card may be asked for: goals of issue 20. A miss is reported; a lost shot ends the run.
MOST_BYTES_PER_BYTE = 1.2
MOST_FLUSHES_PER_SHOT = 3
CAMERA = """\
command: [{command}]
size: 1920x1080
framesPerSecond: 30
"""
PROFILE = """\
camera:
  device: command:slow
  preset: high
shot:
  mode: {mode}
live:
  sound: off
trigger:
  interval:
    milliseconds: {milliseconds}
"""


class ControlGroup:
    """A group of processes with little memory and CPU, of either version of control groups."""

    root = pathlib.Path("/sys/fs/cgroup")

    def __init__(self):
        name = f"tintype-slow-{os.getpid()}"
        self.is_unified = (self.root / "cgroup.controllers").exists()
        parts = [self.root] if self.is_unified else [self.root / "cpu", self.root / "memory"]
        self.folders = [part / name for part in parts]
        period = 20_000
        quota = int(period * CPU_SHARE)
        limits = {
            "cpu.max": f"{quota} {period}", "memory.max": MEMORY_BYTES,
        } if self.is_unified else {
            "cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota, "memory.limit_in_bytes": MEMORY_BYTES,
        }
        try:
            if self.is_unified:
                (self.root / "cgroup.subtree_control").write_text("+cpu +memory")
            for folder in self.folders:
                folder.mkdir()
            for key, value in limits.items():
                next(f for f in self.folders if (f / key).exists()).joinpath(key).write_text(str(value))
        except (OSError, StopIteration) as error:
            self.remove()
            raise CannotRun(f"no control group can be made: {error}") from error

    def enter(self, pid=0):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def parents(self):
        """Where processes belong that are not the box's."""
        return [str(folder.parent / "cgroup.procs") for folder in self.folders]

    def remove(self):
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


class Card:
    """A file system on a loop device that the kernel slows down and counts."""

    def __init__(self, folder):
        image, self.path = folder / "image", folder / "card"
        self.path.mkdir()
        with open(image, "wb") as file:
            file.truncate(DISK_BYTES)
        # Its own upkeep is not the agent's.
        sh("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image))
        sh("mount", "-o", "loop,noatime", str(image), str(self.path))
        device = subprocess.run(
            ["findmnt", "-no", "SOURCE", str(self.path)], check=True, capture_output=True, text=True
        ).stdout.strip()
        self.block = pathlib.Path("/sys/block") / pathlib.Path(device).name
        self.number = (self.block / "dev").read_text().strip()
        self.limit(BYTES_PER_SECOND)

    def limit(self, rate):
        legacy = pathlib.Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device")
        if not legacy.exists():
            raise CannotRun("the bandwidth of a disk cannot be limited: there is no blkio control group")
        legacy.write_text(f"{self.number} {rate}")

    def written(self):
        """Bytes that were written to the device so far, after what waits in memory."""
        os.sync()
        return int((self.block / "stat").read_text().split()[6]) * 512

    def free(self):
        with contextlib.suppress(OSError):
            self.limit(0)


class SlowBox(Box):
    def __init__(self, programs, card, folder, group):
        super().__init__(programs, card.path, "slow")
        self.group, self.errors = group, folder / "agent.log"
        self.counter = folder / "flushes"
        self.counter.write_bytes(b"")
        library = folder / "slow-disk.so"
        source = pathlib.Path(__file__).with_name("slow-disk.c")
        sh("cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source))
        self.preload = {
            "LD_PRELOAD": str(library), "SLOW_DISK_COUNT": str(self.counter),
            "SLOW_DISK_MILLISECONDS": str(FLUSH_MILLISECONDS),
        }
        cameras = folder / "cameras"
        cameras.mkdir()
        frame = folder / "frame.jpg"
        # As a webcam writes it: some 300 kB.
        sh("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1920x1080,noise=alls=12:allf=t",
           "-frames:v", "1", "-q:v", "5", "-y", str(frame))
        camera = pathlib.Path(__file__).with_name("steady_camera.py")
        words = [sys.executable, str(camera), str(frame), *group.parents()]
        (cameras / "slow.yaml").write_text(CAMERA.format(command=", ".join(words)))
        self.settings += [word for pair in {
            "capture.cameraFolder": cameras, "capture.profileFolder": folder, "capture.commandCameras": "slow",
            "capture.consent": "authorized", "capture.camera.usage": "Measures a slow box",
        }.items() for word in ("--set", f"{pair[0]}={pair[1]}")]
        self.folder = folder

    def run_service(self, mode):
        profile = self.folder / f"{mode}.yaml"
        profile.write_text(PROFILE.format(mode=mode, milliseconds=INTERVAL_SECONDS[mode] * 1000))

        def enter():
            self.group.enter()

        with open(self.errors, "ab") as log:
            return subprocess.Popen(
                self.command("run", "--profile", mode), stdout=subprocess.DEVNULL, stderr=log,
                env=environment() | self.preload, preexec_fn=enter,
            )

    def status(self):
        outcome = self.run("status", "--json")
        cameras = (json.loads(outcome.stdout).get("capture") or {}).get("cameras") if outcome.returncode == 0 else None
        return cameras[0] if cameras else None

    def flushes(self):
        return self.counter.stat().st_size


def measure(box, card, mode, count):
    """Lets a profile take so many shots, and tells what that cost the card."""
    known = {entry["id"] for entry in box.queue()}
    service = box.run_service(mode)
    try:
        def shots():
            if service.poll() is not None:
                raise Broken(f"the agent ended: {box.errors.read_text()[-2000:]}")
            return box.status()

        # Opening the queue and the camera is not a shot's.
        first = wait_for("the first shot", lambda: (s := shots()) and s["shots"]["taken"] and s)
        begun, flushed = card.written(), box.flushes()
        wanted = first["shots"]["taken"] + count
        last = wait_for("the shots", lambda: (s := shots())["shots"]["taken"] >= wanted and s, seconds=count * 60)
        begun_with = first["shots"]["taken"]
        memory = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{service.pid}/status").read_text())[1])
        # Ending is not a shot's, either: SQLite closes its log.
        flushes = box.flushes() - flushed
        service.terminate()
        service.wait()
        took = card.written() - begun
    finally:
        if service.poll() is None:
            service.kill()
            service.wait()
    check(last, mode)
    entries = [entry for entry in box.queue() if entry["id"] not in known]
    sizes = [sum(r["byteCount"] for r in entry["manifest"]["resources"]) for entry in entries]
    if len(entries) < last["shots"]["taken"]:
        raise Broken(f"{last['shots']['taken']} shots were taken, {len(entries)} are in the queue")
    byte_count = sum(sorted_by_time(entries, sizes)[begun_with:])
    taken = len(entries) - begun_with
    return {
        "mode": mode, "shots": taken, "bytesPerShot": byte_count // taken,
        "bytesPerByte": round(took / byte_count, 3), "flushesPerShot": round(flushes / taken, 2),
        "mebibytes": memory >> 10, "droppedFrames": last["droppedFrames"], "lateFrames": last["lateFrames"],
    }


def sorted_by_time(entries, sizes):
    return [size for _, size in sorted(zip((entry["id"] for entry in entries), sizes))]


def check(status, mode):
    """No moment may be missed, and no shot may fail or lack its movie."""
    shots = status["shots"]
    if shots["failed"] or shots["skippedMoments"]:
        raise Broken(f"{mode}: shots failed ({shots['failed']}) or were skipped ({shots['skippedMoments']})")
    if mode == "live" and shots["livePhotos"] != shots["taken"]:
        raise Broken(f"{shots['taken'] - shots['livePhotos']} Live Photos have no movie")


def run(programs, folder, count, _):
    if os.geteuid() != 0:
        raise CannotRun("control groups and mounts need root")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, 0x44000, None):
        raise CannotRun("no mounts of its own can be made")
    with contextlib.ExitStack() as stack:
        group = ControlGroup()
        stack.callback(group.remove)
        card = Card(folder)
        stack.callback(card.free)
        box = SlowBox(programs, card, folder, group)
        for mode in ("still", "live"):
            figures = measure(box, card, mode, count)
            say(json.dumps(figures))
            for key, most in {"bytesPerByte": MOST_BYTES_PER_BYTE, "flushesPerShot": MOST_FLUSHES_PER_SHOT}.items():
                if figures[key] > most:
                    say(f"  {key} misses its goal: {figures[key]} instead of {most}")
