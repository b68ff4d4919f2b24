#!/usr/bin/python3
"""A walk through a library of strange files, as a new user would take it; screenshots are kept in .build/browser/walk.

usage: Tests/Browser/strange_walk.py [COUNT] [PROGRAMS]

Generates COUNT files (5000): odd and hostile names, right to left, bytes that are no UTF-8; empty, torn and mislabelled files;
strips, panoramas and single pixels; every format that Debian's tools write; dates and places at the ends of their ranges.
Then looks at each view on a desktop and a phone, light and dark, and prints what a screen reader finds on it, the console's
errors and the findings of the audits. Nothing is judged but that the page keeps working: people look at the pictures.
"""

import collections
import io
import os
import pathlib
import random
import subprocess
import sys
import time
import wave

from PIL import Image, ImageDraw
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import audit
import browser
import library
from hands import press

SHOTS = library.ROOT / ".build/browser/walk"
NAMES = ["שבת שלום", "صورة من البوابة", "photo\u202egpj.exe", "🦊🏔️👩‍👩‍👧", "line\nbreak", "-rf", "  spaces  ", "%2e%2e%2f", "a'b\"c`d", "<b>bold</b>", "e\u0301cole",
         "写真", "фото", "CON", "..hidden", "x" * 200, "tab\there", "🏳️‍🌈", "Ω≈ç√∫", "null", "=1+1", "{{7*7}}", "a;b|c&d", "\u200b\u200b", "ﷺ" * 20]


def drawn(random_one, size):
    picture = Image.new("RGB", size, tuple(random_one.randrange(256) for _ in range(3)))
    pen = ImageDraw.Draw(picture)
    for _ in range(4):
        box = [random_one.randrange(max(1, size[0])), random_one.randrange(max(1, size[1]))]
        pen.ellipse([*box, box[0] + size[0] // 3 + 1, box[1] + size[1] // 3 + 1], fill=tuple(random_one.randrange(256) for _ in range(3)))
    return picture


def saved(picture, form, **how):
    target = io.BytesIO()
    picture.save(target, form, **how)
    return target.getvalue()


def exif(random_one):
    """Dates and places of every kind, or none."""
    fields = Image.Exif()
    date = random_one.choice(["2026:05:31 22:00:00", "1904:01:01 00:00:00", "2099:12:31 23:59:59", "0000:00:00 00:00:00", "2024:02:30 25:61:61", "not a date", None,
                              f"{random_one.randrange(1990, 2027)}:{random_one.randrange(1, 13):02}:{random_one.randrange(1, 29):02} {random_one.randrange(24):02}:10:00"])
    if date:
        fields[0x8769] = {0x9003: date}
    if random_one.random() < 0.5:
        latitude, longitude = random_one.choice([(0, 0), (90, 0), (-90, 180), (16.5, 179.99), (-17.8, -179.99), (random_one.uniform(-60, 70), random_one.uniform(-180, 180)),
                                                 (52.52 + random_one.random() / 50, 13.4 + random_one.random() / 50)])
        fields[0x8825] = {1: "N" if latitude >= 0 else "S", 2: (abs(latitude), 0.0, 0.0), 3: "E" if longitude >= 0 else "W", 4: (abs(longitude), 0.0, 0.0)}
    if random_one.random() < 0.2:
        fields[0x0112] = random_one.randrange(0, 10)
    return fields


def contents(random_one, number):
    """The bytes and the ending of a file."""
    kind = number % 50
    size = random_one.choice([(400, 300), (300, 400), (640, 360), (300, 300)])
    odd = {
        0: lambda: (b"", "jpg"), 1: lambda: (saved(drawn(random_one, size), "JPEG")[:random_one.randrange(20, 900)], "jpg"), 2: lambda: (os.urandom(3000), "jpg"),
        3: lambda: (b"this is text", "png"), 4: lambda: (saved(drawn(random_one, (1, 1)), "PNG"), "png"), 5: lambda: (saved(drawn(random_one, (3, 4000)), "PNG"), "png"),
        6: lambda: (saved(drawn(random_one, (6000, 40)), "JPEG"), "jpg"), 7: lambda: (saved(drawn(random_one, size), "GIF"), "gif"), 8: lambda: (saved(drawn(random_one, size), "BMP"), "bmp"),
        9: lambda: (saved(drawn(random_one, size), "TIFF"), "tif"), 10: lambda: (saved(drawn(random_one, size), "WEBP"), "webp"), 11: lambda: (saved(drawn(random_one, size).convert("L"), "JPEG"), "jpg"),
        12: lambda: (saved(drawn(random_one, size).convert("CMYK"), "JPEG"), "jpg"), 13: lambda: (saved(drawn(random_one, size).convert("RGBA"), "PNG"), "PNG"),
        14: lambda: (b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.hostile=1</script></svg>', "svg"), 15: lambda: (saved(drawn(random_one, size), "PNG"), "jpg"),
    }
    if kind in odd:
        return odd[kind]()
    return saved(drawn(random_one, size), "JPEG", exif=exif(random_one), quality=60), random_one.choice(["jpg", "JPG", "jpeg", "JPeG"])


def generate(folder, count):
    random_one = random.Random(21)
    folder.mkdir()
    for number in range(count):
        content, ending = contents(random_one, number)
        # The number is in the content, so that no two are one.
        name = f"{random_one.choice(NAMES)[:180]} {number}.{ending}" if number % 3 == 0 else f"IMG_{number:05}.{ending}"
        name = name.replace("/", "∕")
        name = name.encode()[:240] if number % 41 else b"\xff\xfe" + name.encode()[:100]
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(content + (b"" if not content or ending in ("svg",) else number.to_bytes(4, "big")))
    start = folder / "base.jpg"
    start.write_bytes(saved(drawn(random_one, (800, 600)), "JPEG"))
    (folder / "huge.jpg").write_bytes(saved(drawn(random_one, (24000, 2000)), "JPEG"))
    with wave.open(str(folder / "sound.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(16000))
    for command in (["heif-enc", "-q", "50", "-o", folder / "a.heic", start], ["heif-enc", "-A", "-q", "50", "-o", folder / "a.avif", start], ["cjxl", start, folder / "a.jxl"],
                    ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10:duration=1", "-pix_fmt", "yuv420p", folder / "a.mp4"],
                    ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=180x320:rate=10:duration=1", "-c:v", "mpeg4", folder / "b.mov"]):
        subprocess.run(command, capture_output=True)
    (folder / "torn.mp4").write_bytes((folder / "a.mp4").read_bytes()[:500])


TREE = """
    const names = [...document.querySelectorAll('a, button, input, select, textarea, [role], h1, h2, h3, img, video')].filter((one) => one.checkVisibility());
    const nameless = names.filter((one) => one.matches('a, button, input, select, textarea, [role=gridcell], [role=slider], [role=grid]') &&
        !(one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '').trim() && !one.title && !one.placeholder);
    return { controls: names.length, nameless: nameless.map((one) => one.outerHTML.slice(0, 120)), headings: [...document.querySelectorAll('h1, h2, h3')].filter((one) => one.checkVisibility()).slice(0, 5).map((one) => one.textContent),
        wide: document.documentElement.scrollWidth > innerWidth, hostile: Boolean(window.hostile) };
"""


def walk(made, looks):
    """Every view in two sizes and themes; gives the findings."""
    findings = collections.Counter()
    for size, dark in ((browser.DESKTOP, False), (browser.PHONE, True)):
        driver = browser.start(size=size, dark=dark)
        label = f"{'phone' if size == browser.PHONE else 'desktop'}-{'dark' if dark else 'light'}"
        try:
            driver.get(made.login_link())
            browser.wait(driver, ".tile")

            def look(name):
                time.sleep(1.5)  # For people to see what a moment later is there; nothing is judged by it.
                driver.save_screenshot(str(SHOTS / f"{name}-{label}.png"))
                tree = driver.execute_script(TREE)
                print(f"    {name} {label}: {tree['controls']} controls, headings {tree['headings']}", flush=True)
                for one in tree["nameless"]:
                    findings[f"{name}: without a name: {one}"] += 1
                for flaw in ("wide", "hostile"):
                    if tree[flaw]:
                        findings[f"{name} {label}: {flaw}"] += 1
                for one in [*looks(driver, deeply=False), *(one for one in browser.problems(driver) if "/thumbnail?" not in one)]:  # Thumbnails that are not made yet are announced on their tiles.
                    findings[f"{name} {label}: {one[:200]}"] += 1

            for name, address in {"photos": "", "favourites": "?view=favorites", "albums": "?view=albums", "map": "?view=map", "trash": "?view=trash", "inbox": "?view=inbox",
                                  "devices": "?view=devices", "health": "?view=health", "audit": "?view=audit", "sessions": "?view=sessions", "old": "?until=1950-01-01",
                                  "panoramas": "?type=panoramas", "videos": "?type=videos", "search": "?text=%D7%A9%D7%91%D7%AA", "nothing": "?text=nowhere"}.items():
                driver.get(f"{made.address}/{address}")
                browser.wait(driver, "h1")
                look(name)
            driver.get(made.address)
            browser.wait(driver, ".tile.loaded")
            driver.execute_script("document.querySelector('.tile').focus()")
            press(driver, Keys.ENTER)
            browser.wait(driver, "dialog.viewer[open]")
            press(driver, "i")
            for step in range(6):
                look(f"viewer{step}")
                press(driver, Keys.ARROW_RIGHT)
            for _ in range(40):
                press(driver, Keys.ARROW_RIGHT)
            look("viewer-far")
        finally:
            driver.quit()
    return findings


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    made = library.Library(sys.argv[2] if len(sys.argv) > 2 else None)
    SHOTS.mkdir(parents=True, exist_ok=True)
    try:
        made.start()
        camera = made.agent_settings("gate", "camera")
        token = made.ctl("enrollment-token", "create", "--max", "addOnly", "--uses", "1", "--expires", "1h", "--quiet").strip()
        made.run("tintype-agent", "enroll", made.address, "--token", token, *camera)
        generate(made.folder / "strange", count)
        print(made.run("tintype-agent", "import", str(made.folder / "strange"), *camera, check=False, timeout=900)[-600:], flush=True)
        made.run("tintype-agent", "sync", "--once", *camera, check=False, timeout=900)
        print(f"    {sum(span['count'] for span in made.get('/v1/timeline')['spans'])} assets, {len(made.get('/v1/places')['clusters'])} clusters on the map", flush=True)
        for finding, times in walk(made, audit.Audit()).most_common():
            print(f"    {times} × {finding}", flush=True)
    finally:
        made.stop()


if __name__ == "__main__":
    main()
