#!/usr/bin/env python3
"""Links between each server of a cluster and its PostgreSQLs and its store, which can be cut one by one.

usage: Tests/Cluster/links.py FOLDER SERVERS POSTGRESQL-1 POSTGRESQL-2 STORE

Forwards ports of 127.0.0.1: three for each of SERVERS servers, to the ports of the two PostgreSQLs and of the store. Writes
which ones into FOLDER/links, where deploy/cluster finds them, prints "ready", and takes commands at the socket
FOLDER/links.sock as bodies of POST requests (curl --unix-socket FOLDER/links.sock --data 'heal server-2' localhost):

  cut SERVER database|store refuse    ends the link's connections, and refuses new ones
  cut SERVER database|store silence   ends the link's connections; new ones are accepted, and nothing on them is forwarded
  heal SERVER                         forwards again, also what came in silence
  store-faults RATE SEED              of all requests to the store, spoils this share (0 to 1), by seed: 500, 503, an answer
                                      cut in the middle of its body, an answer thrown away after the store has obeyed
  counts                              answers with the number of requests to the store, and of each of these faults, as JSON

Links to the store are read as HTTP/1.1 and passed on byte by byte: requests are signed, and with them the field Host, whose
port is the link's. SeaweedFS compares it with what it receives, not with its own port.
"""

import asyncio
import collections
import contextlib
import json
import random
import resource
import socket
import sys

FAULTS = ("500", "503", "cut", "lost")
PIECE_LENGTH = 64 << 10


def error(status, code, message):
    """An answer of S3 that refuses."""
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'
    return f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n", body


REFUSALS = {
    "500": error("500 Internal Server Error", "InternalError", "We encountered an internal error. Please try again."),
    "503": error("503 Slow Down", "SlowDown", "Please reduce your request rate."),
}


async def pieces(reader, count):
    """Exactly so many bytes, as they come."""
    while count > 0:
        piece = await reader.read(min(count, PIECE_LENGTH))
        if not piece:
            raise EOFError
        count -= len(piece)
        yield piece


class Head:
    """The head of an HTTP message: its bytes, and how its body ends."""

    def __init__(self, raw):
        self.raw = raw
        first, *lines = raw.decode("latin-1").rstrip("\r\n").split("\r\n")
        # Of a request the first is its method, of an answer the second its status.
        self.method, self.status = first.split(" ")[:2]
        fields = (line.partition(":") for line in lines)
        self.fields = {name.strip().lower(): value.strip().lower() for name, _, value in fields}
        self.is_chunked = "chunked" in self.fields.get("transfer-encoding", "")
        self.length = int(self.fields.get("content-length", 0))
        self.is_framed = self.is_chunked or "content-length" in self.fields
        self.is_last = self.fields.get("connection") == "close"

    @classmethod
    async def read(cls, reader):
        """The next message's head; None at the end of the connection."""
        try:
            return cls(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.IncompleteReadError:
            return None

    async def body(self, reader):
        """The body's bytes as they are sent, with the framing of chunks; aws-chunked is within the framing."""
        if not self.is_chunked:
            async for piece in pieces(reader, self.length):
                yield piece
            return
        size = 1
        while size > 0:
            line = await reader.readuntil(b"\r\n")
            yield line
            size = int(line.split(b";")[0], 16)
            if size > 0:
                async for piece in pieces(reader, size + 2):
                    yield piece
        while line != b"\r\n":
            line = await reader.readuntil(b"\r\n")
            yield line

    def is_bodiless(self, method):
        """Whether an answer has no body, whatever its fields say."""
        return method == "HEAD" or self.status in ("204", "304")

    async def answer_body(self, reader, method):
        """The same of an answer, whose body may also end with the connection."""
        if self.is_bodiless(method):
            return
        if self.is_framed:
            async for piece in self.body(reader):
                yield piece
            return
        while piece := await reader.read(PIECE_LENGTH):
            yield piece


@contextlib.asynccontextmanager
async def connection(port):
    """A connection to a port; one that is cut sends nothing any more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    except asyncio.CancelledError:
        writer.transport.abort()
        raise
    finally:
        writer.close()


async def pump(reader, writer):
    with contextlib.suppress(OSError):
        while piece := await reader.read(PIECE_LENGTH):
            writer.write(piece)
            await writer.drain()


async def forward(reader, writer, port):
    """Passes bytes in both directions until one end closes."""
    async with connection(port) as (far_reader, far_writer):
        pumps = [asyncio.create_task(pump(reader, far_writer)), asyncio.create_task(pump(far_reader, writer))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in pumps:
                each.cancel()


class Spoiler:
    """Passes requests to the store, and spoils a share of them."""

    def __init__(self):
        self.counts = collections.Counter({name: 0 for name in ("requests", *FAULTS)})
        self.set(0, "0")

    def set(self, rate, seed):
        self.rate, self.random = rate, random.Random(seed)

    def choose(self):
        self.counts["requests"] += 1
        return self.random.choice(FAULTS) if self.rate > 0 and self.random.random() < self.rate else None

    async def forward(self, reader, writer, port):
        async with contextlib.AsyncExitStack() as connections:
            far = None
            while request := await Head.read(reader):
                fault = self.choose()
                if fault in REFUSALS:
                    async for _ in request.body(reader):
                        pass
                    head, body = REFUSALS[fault]
                    self.counts[fault] += 1
                    writer.write((head if request.method == "HEAD" else head + body).encode())
                    await writer.drain()
                    continue
                # The store may have ended a connection that was idle.
                if far is None or far[0].at_eof():
                    far = await connections.enter_async_context(connection(port))
                await self.send(request, reader, far[1])
                answer = await Head.read(far[0])
                if answer is None or not await self.answer(answer, fault, request, far[0], writer):
                    return

    async def send(self, request, reader, writer):
        is_heard = True
        writer.write(request.raw)
        async for piece in request.body(reader):
            if is_heard:
                try:
                    writer.write(piece)
                    await writer.drain()
                except ConnectionError:
                    # The store has answered before it had everything, and hung up.
                    is_heard = False

    async def answer(self, answer, fault, request, reader, writer):
        """Passes an answer on, or not; returns whether the connection goes on."""
        body = answer.answer_body(reader, request.method)
        if fault and answer.status.startswith("2"):
            whole = b"".join([piece async for piece in body])
            # A body that ends with the connection would look whole.
            if fault == "cut" and answer.is_framed and len(whole) > 1:
                self.counts["cut"] += 1
                writer.write(answer.raw + whole[: len(whole) // 2])
            else:
                self.counts["lost"] += 1
            return False
        writer.write(answer.raw)
        async for piece in body:
            writer.write(piece)
            await writer.drain()
        await writer.drain()
        has_end = answer.is_framed or answer.is_bodiless(request.method)
        return has_end and not answer.is_last and not request.is_last


class Link:
    """One port, whose connections go to another one as long as the link is not cut."""

    def __init__(self, port, forward):
        self.target, self.forward = port, forward
        # Bound for ever and never listening: while the link refuses connections, nobody else gets its port.
        self.place = socket.socket()
        self.place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.place.bind(("127.0.0.1", 0))
        self.port = self.place.getsockname()[1]
        self.server = None
        self.is_whole = asyncio.Event()
        self.connections = {}

    async def heal(self):
        if self.server is None:
            self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.port, backlog=512)
        self.is_whole.set()

    async def cut(self, is_refusing):
        self.is_whole.clear()
        if is_refusing and self.server is not None:
            self.server.close()
            self.server = None
        elif not is_refusing and self.server is None:
            self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.port, backlog=512)
        connections = dict(self.connections)
        for task, writer in connections.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*connections, return_exceptions=True)

    def accept(self, reader, writer):
        task = asyncio.create_task(self.serve(reader, writer))
        self.connections[task] = writer
        task.add_done_callback(self.connections.pop)

    async def serve(self, reader, writer):
        try:
            await self.is_whole.wait()
            await self.forward(reader, writer, self.target)
        except (OSError, EOFError):
            pass  # One of the two ends went away.
        finally:
            writer.close()


class Control:
    """Obeys commands."""

    def __init__(self, links, spoiler):
        self.links, self.spoiler = links, spoiler

    async def serve(self, reader, writer):
        with contextlib.suppress(OSError, EOFError):
            while request := await Head.read(reader):
                words = b"".join([piece async for piece in request.body(reader)]).decode().split()
                try:
                    status, text = "200 OK", await self.obey(*words)
                except (KeyError, TypeError, ValueError) as problem:
                    status, text = "400 Bad Request", f"{' '.join(words)}: {problem!r}"
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(text.encode())}\r\n\r\n{text}".encode())
                await writer.drain()
        writer.close()

    async def obey(self, command, *words):
        if command == "cut":
            server, side, way = words
            is_refusing = {"refuse": True, "silence": False}[way]
            await asyncio.gather(*(link.cut(is_refusing) for link in self.links[server][side]))
        elif command == "heal":
            (server,) = words
            await asyncio.gather(*(link.heal() for side in self.links[server].values() for link in side))
        elif command == "store-faults":
            rate, seed = words
            self.spoiler.set(float(rate), seed)
        elif command == "counts":
            return json.dumps(self.spoiler.counts)
        else:
            raise KeyError(command)
        return "done"


async def main(folder, servers, *ports):
    # A server may have 128 connections to the store, and each takes two descriptors here.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    first, second, store = map(int, ports)
    spoiler = Spoiler()
    links = {
        f"server-{number}": {
            "database": [Link(first, forward), Link(second, forward)],
            "store": [Link(store, spoiler.forward)],
        }
        for number in range(1, int(servers) + 1)
    }
    lines = []
    for name, sides in links.items():
        every = sides["database"] + sides["store"]
        for each in every:
            await each.heal()
        lines.append(" ".join([name, *(str(each.port) for each in every)]) + "\n")
    with open(f"{folder}/links", "w") as file:
        file.writelines(lines)
    control = await asyncio.start_unix_server(Control(links, spoiler).serve, f"{folder}/links.sock")
    print("ready", flush=True)
    await control.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
