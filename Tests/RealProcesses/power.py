"""Power cuts of a box: a virtual machine works on a disk with a volatile cache, and is cut off at a random moment."""
import pathlib
import shutil
import subprocess
import threading
import time

from cards import CardMaker
from disk import Disk, DiskServer
from network import CannotRun
from promised import Promised, is_report
from system import Broken, generator, say

HERE = pathlib.Path(__file__).resolve().parent
DISK_BYTES = 256 << 20
# A shot makes a few dozen writes: the power goes somewhere in the first ones after the first report, or in the first
# ones of all, when the box repairs what the last cut has left.
MOST_WRITES, MOST_EARLY_WRITES = 300, 60
# More than can be taken in with so many writes.
CARD_COUNT = 40
# The kernel's own messages go elsewhere, so that each line is the agent's or this script's.
COMMAND = """\
export PATH={path} HOME=/run TMPDIR=/run LC_ALL=C.UTF-8 SWIFT_BACKTRACE=enable=no
insmod() {{ /run/busybox insmod "$1"; }}
agent() {{
    {agent} "$@" --set agent.path=/run/disk/box --set queue.reserveBytes=1048576 2> /run/errors && return
    echo "BROKEN $1 ended with $?: $(/run/busybox tail -n 5 /run/errors)"; /run/busybox sleep 600
}}
for module in virtio_blk crc32c_generic ext4; do insmod {drivers}/$module.ko; done
mkdir -p /run/disk; mount -t ext4 /dev/vda /run/disk || echo "BROKEN mount"
echo MOUNTED
for card in {unfinished}; do agent import $card; done
echo READY
{work}
"""
# Short movies, since each frame takes an emulated processor its time.
PROFILE = """\
live:
  preRollMilliseconds: 500
  postRollMilliseconds: 500
"""
CAPTURE = "agent capture --camera synthetic-camera"
WORKS = {
    "stills": f"while :; do {CAPTURE} --count 10; done",
    "Live Photos": f"while :; do {CAPTURE} --live-photo --profile {{folder}}/live.yaml --count 2; done",
    "imports": "for card in {cards}; do agent import $card; done",
}


class Machine:
    """The virtual machine, from its start until its power goes."""

    def __init__(self, kernel, disk_socket, work):
        self.lines = []
        self.log = open(f"{work}/machine.log", "a", buffering=1, encoding="utf-8")
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-nic", "none",
             # Its clock counts instructions, as that of Tests/CameraVM: its camera keeps time however busy this machine is.
             # Each takes 1 ns: a slower processor could not draw, compress and film thirty frames a second.
             "-machine", "pc,usb=off,vmport=off", "-accel", "tcg,tb-size=256", "-icount", "shift=0,sleep=on",
             "-cpu", "qemu64,+rdrand,+ssse3,+sse4.1,+sse4.2,+popcnt", "-m", "1024",
             "-chardev", f"file,id=log,path={work}/kernel.log", "-serial", "chardev:log",
             "-chardev", "stdio,id=out,signal=off", "-serial", "chardev:out",
             "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
             "-fsdev", "local,id=host,path=/,security_model=none,multidevs=remap,readonly=on",
             "-device", "virtio-9p-pci,fsdev=host,mount_tag=host",
             "-drive", f"if=virtio,format=raw,cache=writeback,file=nbd+unix:///?socket={disk_socket}",
             "-kernel", f"{kernel}/vmlinux", "-initrd", f"{kernel}/initrd.cpio",
             "-append", "console=ttyS0 quiet loglevel=4 panic=-1 nokaslr mitigations=off rodata=off acpi=noirq "
                        f"cryptomgr.notests tsc=reliable random.trust_cpu=on apparmor=0 audit=0 camera_vm={work}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            print(line.decode(errors="replace").strip()[:500], file=self.log)
            # A line that was cut off with the machine reported nothing.
            if line.endswith(b"\n"):
                self.lines.append(line.decode(errors="replace").strip())

    def wait_for(self, holds, what, seconds):
        deadline = time.monotonic() + seconds
        while not holds(list(self.lines)):
            if self.process.poll() is not None or time.monotonic() > deadline or self.is_broken():
                raise Broken(f"{what}: {self.lines[-12:]}")
            time.sleep(0.1)

    def is_broken(self):
        return any(line.startswith("BROKEN") for line in list(self.lines))

    def wait_for_power_cut(self, dead, seconds):
        """Waits for the moment at which the disk answers nothing any more."""
        deadline = time.monotonic() + seconds
        while not dead.wait(1):
            if time.monotonic() > deadline or self.is_broken():
                raise Broken(f"the machine writes nothing any more: {self.lines[-12:]}")

    def cut(self):
        """The power goes; what the machine had told until then, and nothing after it."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        return self.lines


def is_mounted(lines):
    return "MOUNTED" in lines


def has_reported(lines):
    """Whether something was reported of the work, behind what was left of earlier work."""
    return "READY" in lines and any(is_report(line) for line in lines[lines.index("READY"):])


def run(programs, folder, count, seed):
    """Cuts the power so many times, and looks at the disk after each cut."""
    needs = [("qemu-system-x86_64", "qemu-system-x86"), ("mkfs.ext4", "e2fsprogs"), ("ffmpeg", "ffmpeg")]
    for program, package in needs:
        if not shutil.which(program):
            raise CannotRun(f"there is no {program}: apt-get install --no-install-recommends {package}")
    choice = generator(seed)
    prepared = subprocess.run([HERE.parent / "CameraVM" / "run", "--kernel"], capture_output=True, text=True, check=False)
    if prepared.returncode:
        raise CannotRun(f"no kernel: {prepared.stderr}")
    kernel = prepared.stdout.split()[-1]
    image = folder / "image"
    with open(image, "wb") as file:
        file.truncate(DISK_BYTES)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    disk = Disk(image.read_bytes())
    socket = folder / "disk.sock"
    server = DiskServer(disk, socket)
    agent = programs / "tintype-agent"
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    (folder / "live.yaml").write_text(PROFILE)
    folder.chmod(0o755)
    makes = CardMaker(agent, folder, choice)
    promised = Promised(agent, folder)
    for cut in range(1, count + 1):
        work = choice.choice(list(WORKS))
        cards = [makes.card() for _ in range(CARD_COUNT)] if work == "imports" else []
        (folder / "command").write_text(COMMAND.format(
            path=path, drivers=f"{kernel}/drivers", agent=agent,
            unfinished=" ".join(str(card.folder) for card in promised.unfinished),
            work=WORKS[work].format(folder=folder, cards=" ".join(str(card.folder) for card in cards)),
        ))
        machine = Machine(kernel, socket, folder)
        try:
            is_early = choice.random() < 0.25
            machine.wait_for(is_mounted if is_early else has_reported, "no report", 1200)
            most = MOST_EARLY_WRITES if is_early else MOST_WRITES
            dead = disk.die_after(choice.randrange(most), at_flush=choice.random() < 0.5)
            machine.wait_for_power_cut(dead, 600)
        finally:
            lines = machine.cut()
        server.wait_until_free()
        promised.note(lines, cards)
        cached = len(disk.cached)
        lost = disk.cut_power(choice)
        image.write_bytes(disk.durable)
        promised.look(image, work)
        say(f"  cut {cut}, {'before' if is_early else 'among'} {work}: {lost} of {cached} cached writes lost or torn; "
            f"{len(promised.shots)} shots and {len(promised.cards)} cards were reported, "
            f"{len(promised.found)} assets are there")
