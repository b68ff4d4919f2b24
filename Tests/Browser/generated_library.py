"""A fake server with generated assets behind the page's routes: any number, derived from their index.

It answers what the gallery asks for (timeline, lists, thumbnails, changes) as the server does, so that the page can be
measured with a hundred thousand assets without storing one. What it serves of the page is the page itself.
"""

import base64
import calendar
import datetime
import functools
import hashlib
import http.server
import io
import json
import pathlib
import queue
import random
import socketserver
import threading
import time
import urllib.parse

WEB = pathlib.Path(__file__).resolve().parents[2] / "Sources/LibraryServer/Resources/web"
UTC = datetime.timezone.utc
# When the newest photo was taken, about: the days look the same whenever they are looked at.
NEWEST = datetime.datetime(2026, 11, 27, 21, tzinfo=UTC)
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; "
          "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
          "require-trusted-types-for 'script'")
SHAPES = [(4032, 3024), (3024, 4032), (1920, 1080), (4000, 6000), (6000, 4000), (3000, 3000), (8000, 2600)]
PICTURES = 48


def instant(text):
    """Parses a time; without an offset it is local, which is UTC here."""
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def iso(seconds):
    moment = datetime.datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond:06d}Z"


def unit_start(moment, unit):
    names = {"month": dict(day=1, hour=0), "day": dict(hour=0), "hour": {}}
    return moment.replace(minute=0, second=0, microsecond=0, **names[unit])


def unit_end(start, unit):
    if unit == "month":
        return start + datetime.timedelta(days=calendar.monthrange(start.year, start.month)[1])
    return start + datetime.timedelta(days=1) if unit == "day" else start + datetime.timedelta(hours=1)


class Pictures:
    """Simple landscapes: JPEG if Pillow is available, else a flat drawing."""

    def __init__(self):
        self.made = {}
        self.lock = threading.Lock()

    def colours(self, number):
        generator = random.Random(number)
        hue = generator.random()
        return [tuple(int(255 * part) for part in self.rgb((hue + shift) % 1, sat, value))
                for shift, sat, value in ((0, 0.45, 0.95), (0.08, 0.5, 0.75), (0.3, 0.55, 0.45), (0.35, 0.6, 0.25))]

    @staticmethod
    def rgb(hue, saturation, value):
        import colorsys
        return colorsys.hsv_to_rgb(hue, saturation, value)

    def jpeg(self, number, shape, long_side):
        key = (number % PICTURES, shape, long_side)
        with self.lock:
            if key not in self.made:
                self.made[key] = self.draw(*key)
            return self.made[key]

    def draw_all(self, long_side):
        """Draws what `jpeg` would draw when it is asked for."""
        for number in range(PICTURES):
            for shape in SHAPES:
                self.jpeg(number, shape, long_side)

    def draw(self, number, shape, long_side):
        from PIL import Image, ImageDraw, ImageFilter
        scale = long_side / max(shape)
        width, height = max(1, int(shape[0] * scale)), max(1, int(shape[1] * scale))
        sky, low, near, front = self.colours(number)
        picture = Image.new("RGB", (width, height), sky)
        pen = ImageDraw.Draw(picture)
        for row in range(height):
            share = row / height
            pen.line([(0, row), (width, row)], tuple(int(a + (b - a) * share) for a, b in zip(sky, low)))
        generator = random.Random(number * 7)
        at, size = generator.random() * width, 0.07 * min(width, height)
        pen.ellipse([at - size, height * 0.2 - size, at + size, height * 0.2 + size], (255, 244, 214))
        for colour, base in ((near, 0.55), (front, 0.75)):
            points, y = [(0, height)], base
            for step in range(13):
                y += generator.uniform(-0.06, 0.06)
                points.append((width * step / 12, height * min(0.95, max(0.35, y))))
            pen.polygon(points + [(width, height)], colour)
        picture = picture.filter(ImageFilter.GaussianBlur(long_side / 900))
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=78)
        return out.getvalue()

    def hash(self, number, shape):
        """The thumbhash of a picture; made once, because a list has hundreds."""
        return self.make_hash(number % PICTURES, shape)

    @functools.cache
    def make_hash(self, number, shape):
        """A thumbhash of the average colour alone, a little darker below (https://evanw.github.io/thumbhash/)."""
        sky, _, near, _ = self.colours(number)
        red, green, blue = (sum(pair) / 510 for pair in zip(sky, near))
        light, p, q = (red + green + blue) / 3, (red + green) / 2 - blue, red - green
        landscape = shape[0] >= shape[1]
        other = max(1, min(7, round(7 * min(shape) / max(shape))))
        first = (round(63 * light) | round(31.5 + 31.5 * p) << 6 | round(31.5 + 31.5 * q) << 12 | 8 << 18)
        second = other | (1 << 15 if landscape else 0)
        nibbles = [8] * 40
        factors = bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2]))
        return base64.b64encode(first.to_bytes(3, "little") + second.to_bytes(2, "little") + factors).decode()


class Library:
    """Assets numbered from the newest, spread over months with more in summers and a few very full ones.

    `moods` are what a library may come to: `access` limited, `arriving` and `damaged` asset numbers, `refuses` a sentence
    that every edit is answered with, `loses` a number whose title lost against a concurrent one, `is_held` that lists wait until `go_on` is set,
    `late` numbers whose originals, and names of the page's files that, wait until `come` is set, `room` ample, low or full on its disk, `missing` a number of files that are lost or damaged, `shapes` sizes of pictures by their numbers, `raw` numbers of assets with a second form, `incomplete` numbers of Live Photos whose movie never came, `overtaken` a title that somebody else gives right after every edit, and that is told before the edit is answered.
    """

    def __init__(self, count, months=120, seed=1, **moods):
        self.access = moods.get("access", "full")
        # The limits of the lists that were asked for.
        self.asked = []
        self.arriving = set(moods.get("arriving", ()))
        self.damaged = set(moods.get("damaged", ()))
        self.refuses = moods.get("refuses")
        self.loses = moods.get("loses")
        self.go_on = threading.Event()
        if not moods.get("is_held"):
            self.go_on.set()
        self.late = set(moods.get("late", ()))
        # Whether thumbnails wait for `come` as well.
        self.are_pictures_held = False
        self.come = threading.Event()
        self.room = moods.get("room", "ample")
        self.missing = moods.get("missing", 0)
        self.shapes = moods.get("shapes", {})
        self.raw = set(moods.get("raw", ()))
        self.incomplete = set(moods.get("incomplete", ()))
        self.overtaken = moods.get("overtaken")
        self.largest_page = 0
        self.told = queue.Queue()
        self.edits = []
        self.titles = {}
        generator = random.Random(seed)
        weights, starts = [], []
        for back in range(months):
            month = NEWEST.year * 12 + NEWEST.month - 1 - back
            starts.append(datetime.datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC))
            weights.append((2 if starts[-1].month in (6, 7, 8) else 1) * generator.uniform(0.3, 1.5)
                           * (8 if back % 29 == 7 else 1))
        total = sum(weights)
        self.times = []
        for start, weight in zip(starts, weights):
            share = max(1, round(count * weight / total))
            span = (min(unit_end(start, "month"), NEWEST) - start).total_seconds()
            self.times += [start.timestamp() + span * generator.random() ** 0.8 for _ in range(share)]
        self.times = sorted(self.times[:count], reverse=True)
        self.favorites = set()
        self.pictures = Pictures()

    def between(self, low, high):
        """Indexes of assets with low <= time < high; times fall with the index."""
        def first_below(limit):
            left, right = 0, len(self.times)
            while left < right:
                middle = (left + right) // 2
                if self.times[middle] >= limit:
                    left = middle + 1
                else:
                    right = middle
            return left
        return first_below(high), first_below(low)

    def spans(self, unit, low, high):
        first, last = self.between(low, high)
        spans = []
        while first < last:
            start = unit_start(datetime.datetime.fromtimestamp(self.times[first], UTC), unit)
            end = self.between(start.timestamp(), high)[1]
            spans.append({"from": f"{start:%Y-%m-%dT%H:%M:%S}", "until": f"{unit_end(start, unit):%Y-%m-%dT%H:%M:%S}", "count": end - first})
            first = end
        return spans

    def shape(self, index):
        if index in self.shapes:
            return self.shapes[index]
        return SHAPES[(index * 2654435761 >> 7) % len(SHAPES) if index % 3 else 0]

    def asset(self, index):
        width, height = self.shape(index)
        live, video = index % 5 == 0, index % 17 == 3
        identifier = f"{index:08x}-0000-7000-8000-000000000000"
        resource = {"id": identifier, "type": 2 if video else 1, "byteCount": 3_000_000 + index, "contentType": "image/jpeg",
                    "digest": hashlib.sha256(str(index).encode()).hexdigest(), "originalFilename": f"IMG_{index:05d}.JPG"}
        resources = [resource]
        if index in self.raw:
            resources.append({**resource, "id": identifier[:-1] + "1", "type": 4, "contentType": "image/x-adobe-dng",
                              "byteCount": 24_000_000, "originalFilename": f"IMG_{index:05d}.DNG"})
        facts = {"captureFacts": {"trigger": "button", "isLivePhotoIncomplete": True}} if index in self.incomplete else {}
        return {
            **facts,
            "id": identifier, "albums": [], "keywords": [], "isFavorite": index in self.favorites, "isHidden": False,
            "captureTime": {"wall": iso(self.times[index]), "utcOffsetSeconds": 0, "source": "deviceClock", "isSynchronized": True},
            "mediaType": 2 if video else 1, "playbackStyle": 3 if live and not video else 4 if video else 1,
            "mediaSubtypes": 8 if live else 0, "rating": 0, "pixelSize": {"width": width, "height": height},
            "resources": resources, "thumbHash": self.pictures.hash(index, (width, height)), "title": self.titles.get(index),
        }

    def statistics(self):
        count = len(self.times)
        free = {"ample": 400, "low": 3, "full": 0.9}[self.room]
        return {"assets": count, "trashed": 0, "albums": 0, "contents": count, "contentBytes": count * 3_000_000, "missing": self.missing,
                "uploads": 0, "quarantined": 3, "devices": 0, "lastChange": count, "room": self.room,
                "freeBytes": int(free * 2**30), "reservedBytes": 2**30}

    def thumbnail_problem(self, index):
        """Why an asset has no thumbnail, yet or ever; None if it has one."""
        if index in self.damaged:
            return {"type": "/v1/problems/derivative.unavailable", "status": 404, "detail": "The file ends in the middle of the picture."}
        if index in self.arriving:
            return {"type": "/v1/problems/derivative.pending", "status": 404, "detail": "The thumbnail is being made."}
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    library = None

    def log_message(self, *arguments):
        pass

    def answer(self, body, content_type="application/json", status=200, **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body, separators=(",", ":")).encode()
        self.send_response(status)
        fields = {"Content-Type": content_type, "Content-Length": str(len(body)), "X-Content-Type-Options": "nosniff",
                  "Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def page(self, name):
        text = (WEB / name).read_text().replace("{version}", "generated")
        self.answer(text.encode(), TYPES[".html"])

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.strip("/").split("/")
        if url.path == "/healthz":
            return self.answer(b"ok", "text/plain")
        if parts[0] in ("", "login", "pick"):
            return self.page(f"{parts[0] or 'index'}.html")
        if parts[0] == "static":
            file = WEB / parts[-1]
            if file.name in self.library.late:
                self.library.come.wait()
            return self.answer(file.read_bytes(), TYPES[file.suffix], Cache_Control="public, max-age=31536000, immutable")
        self.interface(parts[1:], query)

    def interface(self, parts, query):
        library = self.library
        if parts == ["admin", "web-logins", "current"]:
            return self.answer({"name": "generated", "csrfToken": "none"})
        if parts == ["timeline"]:
            low, high = self.captured(query)
            return self.answer({"spans": library.spans(query.get("unit", "month"), low, high), "access": library.access, "token": "0"})
        if parts == ["assets"]:
            return self.list(query)
        if parts == ["changes", "stream"]:
            return self.stream()
        if parts[:1] == ["assets"]:
            index = int(parts[1][:8], 16)
            if len(parts) == 2:
                return self.answer(library.asset(index))
            if parts[2] == "superseded":
                lost = index == library.loses and index not in library.titles
                edits = [{"edit": {"title": "What the other one wrote"}, "time": "2026-01-02T03:04:05Z"}] if lost else []
                return self.answer({"superseded": edits})
            if parts[2] == "resources" and index in library.late or parts[2] == "thumbnail" and library.are_pictures_held:
                library.come.wait()
            problem = library.thumbnail_problem(index)
            if problem:
                return self.answer(problem, "application/problem+json", problem["status"])
            long_side = int(query.get("size", 320))
            picture = library.pictures.jpeg(index, library.shape(index), long_side)
            return self.answer(picture, "image/jpeg", Cache_Control="private, max-age=86400")
        if parts == ["albums"]:
            return self.answer({"albums": []})
        if parts[:2] == ["admin", "devices"]:
            return self.answer({"devices": []})
        if parts == ["admin", "library", "statistics"]:
            return self.answer(library.statistics())
        if parts == ["admin", "jobs"]:
            return self.answer({"jobs": [], "counts": {}, "isPaused": False})
        if parts[:2] == ["admin", "requests"]:
            return self.answer({"requests": [], "expansions": []})
        self.answer({"status": 404, "detail": "There is no such object."}, "application/problem+json", 404)

    def do_DELETE(self):
        self.send_response(204)
        self.end_headers()

    def do_PATCH(self):
        edit = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        library, index = self.library, int(self.path.split("/")[3][:8], 16)
        if library.refuses:
            problem = {"type": "/v1/problems/authorization.denied", "status": 403, "detail": library.refuses, "retry": "onDecision"}
            return self.answer(problem, "application/problem+json", 403)
        library.edits.append((index, edit))
        if "title" in edit:
            library.titles[index] = edit["title"]
        if "isFavorite" in edit:
            (library.favorites.add if edit["isFavorite"] else library.favorites.discard)(index)
        answer = library.asset(index)
        if library.overtaken:
            library.titles[index] = library.overtaken
            library.told.put(library.asset(index))
            library.told.join()
        self.answer(answer)

    def captured(self, query):
        """The range of the filter, which the page puts at the tree's end."""
        tree = json.loads(query.get("filter", "null")) or {}
        parts = tree.get("all", [tree]) if isinstance(tree, dict) else []
        ranges = [part["captured"] for part in parts if isinstance(part, dict) and "captured" in part]
        low = max([instant(one["from"]) for one in ranges if one.get("from")], default=-1e12)
        high = min([instant(one["until"]) for one in ranges if one.get("until")], default=1e12)
        return low, high

    def list(self, query):
        self.library.go_on.wait()
        first, last = self.library.between(*self.captured(query))
        first = int(query.get("cursor", first))
        self.library.asked.append(int(query.get("limit", 100)))
        end = min(last, first + self.library.asked[-1])
        self.library.largest_page = max(self.library.largest_page, end - first)
        page = {"assets": [self.library.asset(index) for index in range(first, end)], "access": self.library.access}
        if end < last:
            page["next"] = str(end)
        self.answer(page)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            self.wfile.write(b": nothing new\n\n")
            while True:
                asset = self.library.told.get()
                change = asset if "entity" in asset else {"kind": "updated", "entity": {"asset": asset["id"]}, "asset": asset}
                self.wfile.write(f"event: change\ndata: {json.dumps(change)}\n\n".encode())
                # Padding, so that the browser has surely read the event.
                time.sleep(0.3)
                self.library.told.task_done()
        except OSError:
            pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """Browsers cancel requests while scrolling; that is no error."""


def serve(count, port=0, **moods):
    """Starts a library of `count` assets; returns the server, whose port is server_address[1]."""
    handler = type("LibraryHandler", (Handler,), {"library": Library(count, **moods)})
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    import sys
    made = serve(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, int(sys.argv[2]) if len(sys.argv) > 2 else 8090)
    print(f"http://127.0.0.1:{made.server_address[1]}/")
    threading.Event().wait()
