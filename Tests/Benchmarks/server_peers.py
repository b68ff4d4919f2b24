"""Times other programs moving a folder over loopback: `server_peers.py FOLDER WORK`, one line a peer.

Each line is `name<TAB>seconds<TAB>CPU seconds of both ends<TAB>what it promises`. A peer that is not installed says so.
Nothing here is needed to build or run Tintype.
"""

import getpass
import os
import resource
import shutil
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the peer's server does not listen")


def measure(server, port, client, target, expected):
    """Starts a server, runs a client to its end, and gives seconds and CPU seconds of both."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    daemon = subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        start = time.monotonic()
        subprocess.run(client, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - start
    finally:
        daemon.terminate()
        try:
            daemon.wait(5)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    arrived = sum(len(files) for _, _, files in os.walk(target))
    if arrived < expected:
        raise RuntimeError(f"{arrived} of {expected} files arrived")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rsync(source, work, target):
    port = free_port()
    settings = os.path.join(work, "rsyncd.conf")
    with open(settings, "w") as file:
        file.write(f"use chroot = no\n[in]\npath = {target}\nread only = no\nuid = {getpass.getuser()}\ngid = *\n")
    server = ["rsync", "--daemon", "--no-detach", "--address=127.0.0.1", f"--port={port}", f"--config={settings}"]
    return server, port, ["rsync", "-a", "-W", "--fsync", f"{source}/", f"rsync://127.0.0.1:{port}/in/"]


def rclone(source, work, target):
    port = free_port()
    settings = os.path.join(work, "nginx.conf")
    with open(settings, "w") as file:
        file.write(
            f"load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;\nuser {getpass.getuser()};\n"
            f"daemon off;\npid {work}/nginx.pid;\nerror_log /dev/null;\nworker_processes 2;\nevents {{}}\n"
            f"http {{ access_log off; client_max_body_size 0; client_body_temp_path {work}/body;\n"
            f"server {{ listen 127.0.0.1:{port}; root {target}; location / {{\n"
            "dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;\n"
            "create_full_put_path on; dav_access user:rw; } } }\n"
        )
    client = [
        "rclone", "copy", source, ":webdav:", "--webdav-url", f"http://127.0.0.1:{port}", "--webdav-vendor", "other",
        "--webdav-pacer-min-sleep", "0s", "--transfers", "16", "--checkers", "16", "--config", "/dev/null",
    ]
    if "webdav-pacer" not in subprocess.run(["rclone", "help", "flags"], capture_output=True, text=True).stdout:
        client = [word for word in client if word not in ("--webdav-pacer-min-sleep", "0s")]
    return ["nginx", "-c", settings, "-e", "/dev/null"], port, client


def copyparty(source, work, target):
    port = free_port()
    python = os.environ["TINTYPE_PEERS_PYTHON"]
    server = [python, "-m", "copyparty", "-q", "-i", "127.0.0.1", "-p", str(port), "-v", f"{target}::rw", "-e2dsa",
              "--hist", f"{work}/hist"]
    return server, port, [python, "-m", "copyparty.web.a.u2c", "-j", "8", f"http://127.0.0.1:{port}/", source]


PEERS = [
    ("rsync --fsync", "rsync", rsync, "syncs each file, no TLS, no digest kept"),
    ("rclone, 16 at once, to nginx WebDAV", "rclone", rclone, "no sync, no TLS, no digest"),
    ("copyparty u2c", None, copyparty, "hashes chunks, no sync, no TLS"),
]


def main():
    source, work = sys.argv[1:3]
    expected = sum(len(files) for _, _, files in os.walk(source))
    for name, program, prepare, promise in PEERS:
        missing = (shutil.which(program) is None if program else "TINTYPE_PEERS_PYTHON" not in os.environ)
        if missing or (program == "rclone" and shutil.which("nginx") is None):
            print(f"{name}\tpeer not installed", flush=True)
            continue
        folder = os.path.join(work, "peer")
        shutil.rmtree(folder, ignore_errors=True)
        target = os.path.join(folder, "in")
        os.makedirs(target)
        try:
            server, port, client = prepare(source, folder, target)
            seconds, processor = measure(server, port, client, target, expected)
            print(f"{name}\t{seconds:.3f}\t{processor:.3f}\t{promise}", flush=True)
        except (OSError, RuntimeError, subprocess.CalledProcessError) as problem:
            print(f"{name}\tfailed: {problem}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)


main()
