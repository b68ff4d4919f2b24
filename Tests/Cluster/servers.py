"""Servers of one library: their settings, folders and processes."""
import random
import subprocess

from system import Broken, environment, wait_for


class Server:
    """One of the servers, with settings and a folder of its own."""

    def __init__(self, programs, folder, number, database, endpoint):
        self.program = str(programs / "tintype-server")
        self.name = f"server-{number}"
        self.path = folder / self.name
        self.settings = folder / f"{self.name}.yaml"
        self.log = folder / f"{self.name}.log"
        self.process = None
        # Below those that the system gives to connections going out: none of them can be in the way.
        self.port = random.randrange(10_000, 32_000)
        secret = folder / "secret"
        if not secret.exists():
            secret.touch(mode=0o600)
            secret.write_text("testing\n", encoding="utf-8")
        self.settings.write_text(f"""
library:
  path: {self.path}
  metadata: {database.address}&application_name={self.name}
  originals: s3://photos/library
s3:
  endpoint: {endpoint}
  accessKey: "test:tester"
  secretKeyFile: {secret}
server:
  listen: 127.0.0.1:{self.port}
  socket: {self.path}/admin.sock
media:
  workers: 0
""", encoding="utf-8")

    def run(self, command):
        """Runs a command of the program to its end, and gives what it prints."""
        outcome = subprocess.run(
            [self.program, command, "--config", str(self.settings)], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=300, env=environment(), check=False,
        )
        if outcome.returncode:
            raise Broken(f"tintype-server {command} ended with {outcome.returncode}: {outcome.stderr}")
        return outcome.stdout

    def start(self):
        """Starts it and returns once it listens."""
        before = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--config", str(self.settings)], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, env=environment(),
            )

        def listens():
            text = self.log.read_bytes()[before:]
            if b" listening address=" in text:
                return True
            if self.process.poll() is not None:
                raise Broken(f"{self.name} ended: {text.decode(errors='replace')[-2000:]}")
            return False

        wait_for(f"{self.name} listens", listens)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                self.kill()
                raise Broken(f"{self.name} does not stop") from None

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
