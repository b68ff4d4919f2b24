"""A disk with a volatile write cache, served by the NBD protocol: what was not flushed is not there after a power cut."""
import os
import socket
import struct
import threading

SECTOR = 512
OPTION, REPLY = 0x49484156454F5054, 0x0003E889045565A9
REQUEST, ANSWER = 0x25609513, 0x67446698
# Flush and writes that force themselves through (FUA).
FLAGS = 1 | 4 | 8


class Disk:
    """Bytes that are durable, and writes that wait in the cache until the machine flushes it."""

    def __init__(self, image):
        self.durable = bytearray(image)
        self.seen = bytearray(image)
        self.cached = []
        self.flushes = 0
        self.lock = threading.Lock()

    def read(self, offset, count):
        with self.lock:
            return bytes(self.seen[offset:offset + count])

    def write(self, offset, content, is_forced):
        with self.lock:
            self.seen[offset:offset + len(content)] = content
            if is_forced:
                self.durable[offset:offset + len(content)] = content
            else:
                self.cached.append((offset, content))

    def flush(self):
        with self.lock:
            for offset, content in self.cached:
                self.durable[offset:offset + len(content)] = content
            self.cached = []
            self.flushes += 1

    def cut_power(self, choice):
        """Of what was cached each write is there, or gone, or torn after some sector; gives how many were not whole."""
        with self.lock:
            lost = 0
            for offset, content in self.cached:
                fate = choice.random()
                kept = content
                if fate < 0.5:
                    lost += 1
                    kept = content[:SECTOR * choice.randrange(len(content) // SECTOR + 1)] if fate < 0.15 else b""
                self.durable[offset:offset + len(kept)] = kept
            self.cached = []
            self.seen = bytearray(self.durable)
            return lost


class DiskServer:
    """Serves a disk on a socket file, to one machine after the other."""

    def __init__(self, disk, path):
        self.disk = disk
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.fspath(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            try:
                with connection:
                    if self.negotiate(connection):
                        self.answer(connection)
            except (ConnectionError, EOFError):
                pass

    @staticmethod
    def take(connection, count):
        content = bytearray()
        while len(content) < count:
            part = connection.recv(min(count - len(content), 1 << 20))
            if not part:
                raise EOFError
            content += part
        return bytes(content)

    def negotiate(self, connection):
        """The handshake ("fixed newstyle") up to the choice of the only export."""
        connection.sendall(b"NBDMAGIC" + struct.pack(">QH", OPTION, 3))
        self.take(connection, 4)
        size = len(self.disk.durable)
        while True:
            _, option, count = struct.unpack(">QII", self.take(connection, 16))
            self.take(connection, count)
            if option == 1:
                connection.sendall(struct.pack(">QH", size, FLAGS))
                return True
            if option == 2:
                return False
            if option != 7:
                connection.sendall(struct.pack(">QIII", REPLY, option, 0x80000001, 0))
                continue
            connection.sendall(struct.pack(">QIIIHQH", REPLY, option, 3, 12, 0, size, FLAGS))
            connection.sendall(struct.pack(">QIII", REPLY, option, 1, 0))
            return True

    def answer(self, connection):
        while True:
            _, flags, kind, handle, offset, count = struct.unpack(">IHHQQI", self.take(connection, 28))
            content = b""
            if kind == 0:
                content = self.disk.read(offset, count)
            elif kind == 1:
                self.disk.write(offset, self.take(connection, count), bool(flags & 1))
            elif kind == 2:
                return
            elif kind == 3:
                self.disk.flush()
            connection.sendall(struct.pack(">IIQ", ANSWER, 0, handle) + content)
