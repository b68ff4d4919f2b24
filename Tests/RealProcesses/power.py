"""Power cuts of a box: a virtual machine captures onto a disk with a volatile cache, and is cut off at a random moment."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import threading
import time

from disk import Disk, DiskServer
from network import CannotRun
from system import Broken, environment, generator, say

HERE = pathlib.Path(__file__).resolve().parent
DISK_BYTES = 256 << 20
# A shot makes a few dozen writes: the power goes somewhere in the first ones after the first report.
MOST_WRITES = 300
# The kernel's own messages go elsewhere, so that each line is the agent's or this script's.
COMMAND = """\
export PATH={path} HOME=/run TMPDIR=/run LC_ALL=C.UTF-8 SWIFT_BACKTRACE=enable=no
insmod() {{ /run/busybox insmod "$1"; }}
for module in virtio_blk crc32c_generic ext4; do insmod {drivers}/$module.ko; done
mkdir -p /run/disk; mount -t ext4 /dev/vda /run/disk || echo "BROKEN mount"
echo READY
while :; do
    {agent} capture --camera synthetic-camera --count 10 --set agent.path=/run/disk/box --set queue.reserveBytes=1048576 \\
        2> /run/errors && continue
    echo "FAILED with $?:"; /run/busybox tail -n 5 /run/errors; /run/busybox sleep 2
done
"""


class Machine:
    """The virtual machine, from its start until its power goes."""

    def __init__(self, kernel, disk_socket, work):
        self.lines = []
        self.log = open(f"{work}/machine.log", "a", buffering=1, encoding="utf-8")
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-nic", "none",
             # Its clock counts instructions, as that of Tests/CameraVM: its camera keeps time however busy this machine is.
             "-machine", "pc,usb=off,vmport=off", "-accel", "tcg,tb-size=256", "-icount", "shift=2,sleep=on",
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
            self.lines.append(line.decode(errors="replace").strip())
            print(self.lines[-1][:500], file=self.log)

    def wait_for(self, holds, what, seconds):
        deadline = time.monotonic() + seconds
        while not any(holds(line) for line in list(self.lines)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Broken(f"{what}: {self.lines[-12:]}")
            time.sleep(0.1)

    def wait_for_power_cut(self, dead, seconds):
        """Waits for the moment at which the disk answers nothing any more."""
        if not dead.wait(seconds):
            raise Broken(f"the machine writes nothing any more: {self.lines[-12:]}")

    def cut(self):
        """The power goes; what the machine had told until then, and nothing after it."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        return self.lines


def look(image, folder, agent, reported):
    """What a start of the agent finds: every reported shot once, each file with the bytes of its row."""
    # Replays the file system's journal, as the machine's next start would; 1 says that it did.
    if subprocess.run(["e2fsck", "-f", "-y", image], capture_output=True, check=False).returncode > 1:
        raise Broken("the file system is beyond repair")
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    subprocess.run(["debugfs", "-R", f"rdump /box {copy}", image], capture_output=True, check=True)
    listed = subprocess.run(
        [agent, "queue", "list", "--limit", "1000000", "--json", "--set", f"agent.path={copy}/box"],
        capture_output=True, text=True, env=environment(), check=False,
    )
    if listed.returncode:
        raise Broken(f"the agent does not start: {listed.stderr}")
    entries = {}
    for entry in json.loads(listed.stdout):
        if entry["id"] in entries:
            raise Broken("promise 5: an asset is in the queue twice")
        entries[entry["id"]] = entry
        files = (copy / "box/originals" / entry["id"]).iterdir()
        digests = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.suffix != ".json")
        if digests != sorted(resource["digest"] for resource in entry["manifest"]["resources"]):
            raise Broken(f"promise 3: the files of {entry['id']} are not what was captured")
    if not reported <= set(entries):
        raise Broken(f"promise 1: reported shots are gone: {sorted(reported - set(entries))}")
    return len(entries)


def run(programs, folder, count, seed):
    """Cuts the power so many times, and looks at the disk after each cut."""
    for program, package in [("qemu-system-x86_64", "qemu-system-x86"), ("mkfs.ext4", "e2fsprogs")]:
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
    (folder / "command").write_text(COMMAND.format(path=path, drivers=f"{kernel}/drivers", agent=agent))
    folder.chmod(0o755)
    reported = set()
    for cut in range(1, count + 1):
        machine = Machine(kernel, socket, folder)
        try:
            machine.wait_for(lambda line: line.startswith("photo "), "no shot", 1200)
            dead = disk.die_after(choice.randrange(MOST_WRITES), at_flush=choice.random() < 0.5)
            machine.wait_for_power_cut(dead, 600)
        finally:
            lines = machine.cut()
        server.wait_until_free()
        # A line that was cut off with the machine reported nothing.
        reported |= {line.split()[1].rstrip(",") for line in lines if line.startswith("photo ") and line.endswith("ms")}
        cached = len(disk.cached)
        lost = disk.cut_power(choice)
        image.write_bytes(disk.durable)
        entries = look(image, folder, agent, reported)
        say(f"  cut {cut}: {lost} of {cached} cached writes lost or torn; {len(reported)} shots were reported, "
            f"{entries} are there")
