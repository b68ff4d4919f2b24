"""A real library for the tests: server, agent and tintypectl from the build, in a temporary folder."""

import contextlib
import http.client
import json
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

from browser import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOSTILE = '"><img src=x onerror="window.hostile=1"><script>window.hostile=1</script>{{7*7}}'


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("library", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


class Library:
    """`programs` is the folder with the three programs."""

    def __init__(self, programs=None):
        self.programs = pathlib.Path(programs or ROOT / ".build/debug")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tintype-browser-"))
        self.socket = str(self.folder / "admin.sock")
        # Another origin that may embed the picker; its port is reserved here.
        self.wall = socket.create_server(("127.0.0.1", 0))
        self.wall_origin = f"https://127.0.0.1:{self.wall.getsockname()[1]}"
        self.settings = self.flags({"library.path": self.folder / "server", "server.listen": "127.0.0.1:0",
                                    "server.socket": self.socket, "enrollment.open": "true", "picker.embeddingOrigins": self.wall_origin,
                                    "page.mapLink": "https://map.example/?at={latitude},{longitude}&z=9"})
        self.server = None

    @staticmethod
    def flags(values):
        return [part for key, value in values.items() for part in ("--set", f"{key}={value}")]

    def run(self, program, *arguments, check=True, timeout=PATIENCE):
        done = subprocess.run([self.programs / program, *arguments], capture_output=True, text=True, timeout=timeout)
        if check and done.returncode != 0:
            raise AssertionError(f"{program} {' '.join(arguments[:3])}: {done.stderr or done.stdout}")
        return done.stdout + done.stderr

    def ctl(self, *arguments):
        return self.run("tintypectl", *arguments, "--socket", self.socket)

    def agent_settings(self, name, folder):
        return self.flags({
            "agent.path": self.folder / folder, "agent.name": name, "capture.consent": "authorized", "log.level": "warning",
            "capture.camera.usage": "Takes pictures.", "capture.microphone.usage": "Records sound.",
            "library.add.usage": f"Saves pictures. {HOSTILE}", "library.readWrite.usage": "Shows the newest picture.",
        })

    def start(self):
        self.run("tintype-server", "init", *self.settings)
        self.log = open(self.folder / "server.log", "w")
        self.server = subprocess.Popen([self.programs / "tintype-server", "serve", *self.settings],
                                       stdout=self.log, stderr=subprocess.STDOUT)
        end = time.monotonic() + PATIENCE
        while True:
            found = re.search(r"listening\s.*address=\S*:(\d+)", (self.folder / "server.log").read_text())
            if found:
                self.address = f"https://127.0.0.1:{found.group(1)}"
                self.device_address = f"127.0.0.1:{found.group(1)}"
                return self
            if self.server.poll() is not None or time.monotonic() > end:
                raise AssertionError("the server does not start:\n" + (self.folder / "server.log").read_text())
            time.sleep(0.1)

    def stop(self):
        if self.server:
            self.server.terminate()
            try:
                self.server.wait(60)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        """Sends a request as the operator at the socket; returns status and response."""
        connection = UnixConnection(self.socket)
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, json.loads(data) if data and "json" in answer.headers.get("Content-Type", "") else data

    def get(self, path):
        status, answer = self.call("GET", path)
        assert status == 200, f"{path}: {status} {answer}"
        return answer

    def assets(self):
        return self.get("/v1/assets?limit=500")["assets"]

    def fill(self, folder=None):
        """Adds a camera with photos and a Live Photo, and the pictures of a folder; one has a hostile name."""
        self.camera = camera = self.agent_settings("gate", "camera")
        token = self.ctl("enrollment-token", "create", "--max", "addOnly", "--uses", "1", "--expires", "1h", "--quiet").strip()
        self.run("tintype-agent", "enroll", self.address, "--token", token, *camera)
        pictures = self.folder / "pictures"
        pictures.mkdir()
        draw(pictures)
        for path in pathlib.Path(folder).glob("*.jp*g") if folder else []:
            if path.stat().st_size > 20_000:
                shutil.copyfile(path, pictures / path.name)
        self.run("tintype-agent", "import", str(pictures), *camera)
        self.run("tintype-agent", "capture", "--count", "3", "--interval", "0.5", *camera)
        self.run("tintype-agent", "capture", "--live-photo", *camera)
        self.run("tintype-agent", "capture", "--burst", "4", *camera)
        self.run("tintype-agent", "sync", "--once", *camera)
        self.settle()

    def capture(self, *how):
        """The camera captures and syncs."""
        self.run("tintype-agent", "capture", *how, *self.camera)
        self.run("tintype-agent", "sync", "--once", *self.camera)

    @contextlib.contextmanager
    def service(self):
        """The camera's service runs meanwhile."""
        with open(self.folder / "service.log", "w") as log:
            running = subprocess.Popen([self.programs / "tintype-agent", "run", *self.camera], stdout=log, stderr=subprocess.STDOUT)
            try:
                yield
            finally:
                running.terminate()
                running.wait(PATIENCE)

    def take_in_torn_picture(self):
        """The camera imports and syncs a picture truncated before its first pixel; returns its identifier."""
        before = {one["id"] for one in self.assets()}
        folder = self.folder / "torn"
        folder.mkdir()
        (folder / "torn.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xfe\x00\x06torn")
        self.run("tintype-agent", "import", str(folder), *self.camera)
        self.run("tintype-agent", "sync", "--once", *self.camera)
        return ({one["id"] for one in self.assets()} - before).pop()

    def take_in_dated_picture(self, date, offset, place=None):
        """The camera imports and syncs a picture with this EXIF date and offset, and this place if given; returns its
        identifier."""
        before = {one["id"] for one in self.assets()}
        folder = self.folder / "dated"
        folder.mkdir(exist_ok=True)
        shutil.copyfile(self.folder / "pictures/hill-01.jpg", folder / "dated.jpg")
        subprocess.run(["exiftool", "-q", "-overwrite_original", f"-DateTimeOriginal={date}", f"-OffsetTimeOriginal={offset}", str(folder / "dated.jpg")], check=True)
        if place:
            where = [f"-GPSLatitude={abs(place[0])}", f"-GPSLatitudeRef={'N' if place[0] > 0 else 'S'}", f"-GPSLongitude={abs(place[1])}", f"-GPSLongitudeRef={'E' if place[1] > 0 else 'W'}"]
            subprocess.run(["exiftool", "-q", "-overwrite_original", *where, str(folder / "dated.jpg")], check=True)
        self.run("tintype-agent", "import", str(folder), *self.camera)
        self.run("tintype-agent", "sync", "--once", *self.camera)
        return ({one["id"] for one in self.assets()} - before).pop()

    def take_in_large_picture(self, width, height):
        """The camera imports and syncs a picture of this size; returns its identifier."""
        from PIL import Image
        before = {one["id"] for one in self.assets()}
        folder = self.folder / f"large-{width}"
        folder.mkdir()
        Image.open(self.folder / "pictures/hill-01.jpg").resize((width, height)).save(folder / "large.jpg", quality=80)
        self.run("tintype-agent", "import", str(folder), *self.camera)
        self.run("tintype-agent", "sync", "--once", *self.camera)
        return ({one["id"] for one in self.assets()} - before).pop()

    def purge(self, asset):
        """Deletes an asset for good."""
        for path in (f"/v1/assets/{asset}", f"/v1/trash/{asset}"):
            status, answer = self.call("DELETE", path)
            assert status == 204, answer

    def settle(self, seconds=2 * PATIENCE):
        """Waits for all thumbnails: arriving photos would move under the tests."""
        end = time.monotonic() + seconds
        while True:
            counts = {state: number for state, number in self.get("/v1/admin/jobs?limit=1")["counts"].items() if number}
            if not counts:
                return
            if set(counts) <= {"dead", "bad"}:
                # On a busy machine a slow worker may have been given up.
                self.call("POST", "/v1/admin/jobs/retry", {})
            assert time.monotonic() < end, f"the thumbnails are not made: {self.get('/v1/admin/jobs')['jobs']}"
            time.sleep(0.2)

    def newcomer(self, name, folder="newcomer"):
        """Enrols a device that waits for an answer; returns its code."""
        found = re.search(r"code: (\S+)", said := self.enroll(name, folder))
        assert found, said
        return found.group(1)

    def enroll(self, name, folder):
        """Enrols a device, or polls its enrolment; returns the output."""
        status, authority = self.call("GET", "/v1/ca")
        assert status == 200
        pem = subprocess.run(["openssl", "x509", "-outform", "der"], input=authority["certificates"].encode(), capture_output=True, check=True)
        digest = subprocess.run(["sha256sum"], input=pem.stdout, capture_output=True, check=True).stdout.split()[0].decode()
        arguments = ["--ca-fingerprint", digest, *self.agent_settings(name, folder)]
        return self.run("tintype-agent", "enroll", self.address, *arguments, check=False)

    def admit(self, name, folder, answer):
        """Enrols and decides a device; returns its identifier."""
        code = self.newcomer(name, folder)
        device = next(one["id"] for one in self.get("/v1/admin/devices")["devices"] if one.get("verificationCode") == code)
        status, problem = self.call("POST", f"/v1/admin/devices/{device}/decision", {"answer": answer})
        assert status == 200, problem
        self.enroll(name, folder)
        return device

    def add_album(self, title, assets):
        """Creates an album with these photos; returns its identifier."""
        status, album = self.call("POST", "/v1/albums", {"title": title})
        assert status == 201, album
        status, answer = self.call("POST", f"/v1/albums/{album['id']}/assets", {"assets": assets})
        assert status == 204, answer
        return album["id"]

    def album_order(self, album):
        return [asset["id"] for asset in self.get(f"/v1/albums/{album}/assets")["assets"]]

    def as_device(self, folder, method, path, body=None):
        """Sends a request with a device's certificate."""
        identity = self.folder / folder / "identity"
        chain = identity / "chain.pem"
        chain.write_text(json.loads((identity / "device.json").read_text())["certificateChain"])
        context = ssl._create_unverified_context()
        context.load_cert_chain(chain, identity / "key.pem")
        for attempt in range(2):
            connection = http.client.HTTPSConnection(self.device_address, context=context, timeout=PATIENCE)
            try:
                connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                data = answer.read()
                return answer.status, json.loads(data) if data and "json" in answer.headers.get("Content-Type", "") else data
            except ConnectionError:
                # The server closes a device's connections when a decision changes; the device calls again.
                if attempt:
                    raise

    def login_link(self):
        """A single-use login link."""
        status, answer = self.call("POST", "/v1/admin/web-logins", {"name": "keeper"})
        assert status == 201, answer
        return self.address + answer["uri"]


def draw(folder):
    """A dozen landscapes of different shapes over two years, one with hostile name and metadata."""
    import generated_library
    pictures = generated_library.Pictures()
    shapes = [(4, 3), (3, 4), (16, 9), (3, 2), (1, 1), (8, 3)]
    for number in range(14):
        name = f"hill-{number:02}.jpg" if number else "=cmd<img src=x onerror=window.hostile=1>.jpg"
        shape = shapes[number % len(shapes)]
        (folder / name).write_bytes(pictures.draw(number * 5 + 2, (shape[0] * 100, shape[1] * 100), 1280))
        date = f"{2025 + number // 8}:{1 + number * 5 % 12:02}:{3 + number:02} 1{number % 9}:00:00"
        subprocess.run(["exiftool", "-q", "-overwrite_original", f"-DateTimeOriginal={date}", "-OffsetTimeOriginal=+01:00",
                        "-GPSLatitude=46.5", "-GPSLatitudeRef=N", "-GPSLongitude=7.9", "-GPSLongitudeRef=E",
                        f"-ImageDescription={HOSTILE if number == 0 else 'Hills'}", str(folder / name)], check=True)
    heic, movie = str(folder / "ridge.heic"), str(folder / "stream.mp4")
    subprocess.run(["heif-enc", "-q", "50", "-o", heic, str(folder / "hill-05.jpg")], check=True, capture_output=True)
    subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=15:duration=2",
                    "-metadata", "creation_time=2025-05-05T10:00:00Z", "-pix_fmt", "yuv420p", movie], check=True)
