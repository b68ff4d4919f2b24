#!/usr/bin/python3
"""How fast originals, and one archive of them, stream over TLS, beside nginx with the same files; printed, never judged.

usage: Tests/Benchmarks/streaming.py [--programs FOLDER] [--rounds N] [--mebibytes N]

Both servers run on this machine and are asked by curl, one connection and one cipher, in turns. The ratio is of the medians; the limit is 0.6.
Build the programs optimised first: swift build -c release.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Browser"))
import library

FILES = 24


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Nginx:
    """nginx over TLS with a folder of files, as Debian configures it but for the folder."""

    def __init__(self, folder):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="tintype-nginx-"))
        self.port = free_port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=localhost",
                        "-keyout", self.work / "key.pem", "-out", self.work / "chain.pem"], check=True, capture_output=True)
        (self.work / "nginx.conf").write_text(
            f"user root; daemon off; pid {self.work}/pid; error_log /dev/null; worker_processes auto; events {{}}\n"
            "http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000;\n"
            f"server {{ listen 127.0.0.1:{self.port} ssl; ssl_protocols TLSv1.3; ssl_certificate {self.work}/chain.pem; "
            f"ssl_certificate_key {self.work}/key.pem; root {folder}; }} }}\n")
        self.process = subprocess.Popen(["nginx", "-c", self.work / "nginx.conf", "-e", "/dev/null"])
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.1).close()
                break
            except OSError:
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.work, ignore_errors=True)


def rate(addresses, cookie=None):
    """Mebibytes a second of one curl that fetches addresses one after the other over one connection."""
    command = ["curl", "-sSfk", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256", "-w", "%{size_download}\n"]
    if cookie:
        command += ["-H", f"Cookie: {cookie}"]
    for address in addresses:
        command += ["-o", "/dev/null", address]
    begin = time.monotonic()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return sum(int(line) for line in done.stdout.split()) / 2**20 / (time.monotonic() - begin)


def log_in(made):
    """A session's cookie."""
    secret = made.login_link().split("#")[1]
    done = subprocess.run(["curl", "-sSfk", "-D", "-", "-o", "/dev/null", "-H", "Content-Type: application/json", "-d", json.dumps({"secret": secret}),
                           f"{made.address}/login"], check=True, capture_output=True, text=True)
    return next(line.split(": ", 1)[1].split(";")[0] for line in done.stdout.splitlines() if line.lower().startswith("set-cookie:"))


def archive_of(made, assets, cookie):
    """An archive of assets, which is the session's own."""
    def fetch(path, *arguments):
        done = subprocess.run(["curl", "-sSfk", "-H", f"Cookie: {cookie}", *arguments, made.address + path], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)
    token = fetch("/v1/admin/web-logins/current")["csrfToken"]
    wish = json.dumps({"assets": [one["id"] for one in assets]})
    return fetch("/v1/archives", "-H", f"Tintype-CSRF: {token}", "-H", "Content-Type: application/json", "-d", wish)["id"]


def fill(made, folder, mebibytes):
    """A camera that has imported large photos: pictures with noise behind their last byte, which every program keeps."""
    camera = made.agent_settings("gate", "camera")
    token = made.ctl("enrollment-token", "create", "--max", "addOnly", "--uses", "1", "--expires", "1h", "--quiet").strip()
    made.run("tintype-agent", "enroll", made.address, "--token", token, *camera)
    pictures = folder / "pictures"
    pictures.mkdir()
    import generated_library
    start = generated_library.Pictures().draw(1, (400, 300), 640)
    for number in range(FILES):
        (pictures / f"{number:02}.jpg").write_bytes(start + os.urandom(mebibytes * 2**20 // FILES))
    made.run("tintype-agent", "import", str(pictures), *camera, timeout=600)
    made.run("tintype-agent", "sync", "--once", *camera, timeout=600)
    made.settle()
    return pictures


def measure(made, pictures, rounds):
    assets = made.assets()
    cookie = log_in(made)
    archive = archive_of(made, assets, cookie)
    nginx = Nginx(pictures)
    try:
        names = sorted(one.name for one in pictures.iterdir())
        kinds = {
            "nginx": lambda: rate([f"https://127.0.0.1:{nginx.port}/{name}" for name in names]),
            "originals": lambda: rate([f"{made.address}/v1/assets/{one['id']}/resources/{one['resources'][0]['id']}" for one in assets], cookie),
            "archive": lambda: rate([f"{made.address}/v1/archives/{archive}/content.zip"], cookie),
        }
        found = {kind: [] for kind in kinds}
        for _ in range(rounds):
            for kind, run in kinds.items():
                found[kind].append(run())
    finally:
        nginx.stop()
    peer = statistics.median(found["nginx"])
    for kind, rates in found.items():
        print(f"    {kind}: {statistics.median(rates):.0f} MiB/s ({min(rates):.0f} to {max(rates):.0f}), {statistics.median(rates) / peer:.2f} of nginx", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=str(library.ROOT / ".build-release/release"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mebibytes", type=int, default=768)
    arguments = parser.parse_args()
    made = library.Library(arguments.programs)
    try:
        made.start()
        measure(made, fill(made, made.folder, arguments.mebibytes), arguments.rounds)
    finally:
        made.stop()


if __name__ == "__main__":
    main()
