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
        self.lock = threading.Lock()
        self.writes_left = None
        self.dies_at_flush = False
        self.dead = threading.Event()

    def die_after(self, writes, at_flush):
        """From so many writes on nothing is answered any more, until the power is cut; gives what is set then.

        At the write behind them, or where it is wanted so at the next flush: then all waits that can wait.
        """
        with self.lock:
            self.writes_left = writes
            self.dies_at_flush = at_flush
        return self.dead

    def take_write(self):
        """Whether there is power for one more write."""
        with self.lock:
            if self.writes_left:
                self.writes_left -= 1
            elif self.writes_left == 0 and not self.dies_at_flush:
                self.dead.set()
            return not self.dead.is_set()

    def read(self, offset, count):
        with self.lock:
            return bytes(self.seen[offset:offset + count])

    def write(self, offset, content, is_forced):
        with self.lock:
            self.seen[offset:offset + len(content)] = content
            self.cached.append((offset, content))
            if is_forced:
                self.settle(lambda begin, end: begin < offset + len(content) and offset < end)

    def flush(self):
        with self.lock:
            if self.writes_left == 0 and self.cached:
                self.dead.set()
            if self.dead.is_set():
                return
            self.settle(lambda begin, end: True)

    def settle(self, is_meant):
        """Makes cached writes durable, in their order: what is forced takes along the older ones that it overlaps."""
        waiting = []
        for offset, content in self.cached:
            if is_meant(offset, offset + len(content)):
                self.durable[offset:offset + len(content)] = content
            else:
                waiting.append((offset, content))
        self.cached = waiting

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
            self.writes_left = None
            self.dead.clear()
            return lost


class DiskServer:
    """Serves a disk on a socket file, to one machine after the other."""

    def __init__(self, disk, path):
        self.disk = disk
        self.is_free = threading.Event()
        self.is_free.set()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.fspath(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            self.is_free.clear()
            try:
                with connection:
                    if self.negotiate(connection):
                        self.answer(connection)
            except (ConnectionError, EOFError):
                pass
            self.is_free.set()

    def wait_until_free(self):
        """Returns once nothing of a machine that is gone is on its way to the disk any more."""
        self.is_free.wait()

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
                written = self.take(connection, count)
                # The write at which the power goes is in the cache, and its fate is as open as the others'.
                is_forced = self.disk.take_write() and bool(flags & 1)
                self.disk.write(offset, written, is_forced)
            elif kind == 2:
                return
            elif kind == 3:
                self.disk.flush()
            if self.disk.dead.is_set():
                # No answer: the machine waits for the disk until it is cut off itself.
                continue
            connection.sendall(struct.pack(">IIQ", ANSWER, 0, handle) + content)
