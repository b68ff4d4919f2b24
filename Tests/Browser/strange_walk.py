#!/usr/bin/python3
"""A walk through a library of strange files, as a new user would take it; screenshots are kept in .build/browser/walk.

usage: Tests/Browser/strange_walk.py [COUNT] [PROGRAMS]

Generates COUNT files (5000): odd and hostile names, right to left, bytes that are no UTF-8; empty, torn and mislabelled files;
strips, panoramas and single pixels; every format that Debian's tools write; dates and places at the ends of their ranges.
Then looks at each view on a desktop and a phone, each light and dark, opens photos by mouse, by keyboard and by touch, and
prints what a screen reader's tree has no name for, the console's errors and the findings of both audits. Nothing is judged
but that the page keeps working: people look at the pictures.
"""

import collections
import io
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import wave

from PIL import Image, ImageDraw
from selenium.webdriver import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

import audit
import browser
import library
from hands import choose, click_tile, finger, focus, hover, leave_viewer, photos, press, swipe, text_of, tile_ids

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


VIEWS = {"photos": "", "favourites": "?view=favorites", "albums": "?view=albums", "map": "?view=map", "trash": "?view=trash", "inbox": "?view=inbox",
         "devices": "?view=devices", "health": "?view=health", "audit": "?view=audit", "sessions": "?view=sessions", "old": "?until=1950-01-01",
         "panoramas": "?type=panoramas", "videos": "?type=videos", "search": "?text=%D7%A9%D7%91%D7%AA", "nothing": "?text=nowhere"}
# Roles that say nothing to somebody who hears no name with them.
NAMED_ROLES = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton", "option", "tab", "menuitem", "grid",
               "gridcell", "image", "img", "dialog", "alertdialog", "heading", "navigation", "region", "progressbar", "meter", "video", "audio"}
FLAWS = "return { wide: document.documentElement.scrollWidth > innerWidth, hostile: Boolean(window.hostile) }"


def tree(driver):
    """The accessibility tree as a screen reader gets it: its roles and how many of each, and the elements without a name."""
    roles, nameless = collections.Counter(), []
    for node in driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]:
        role = node.get("role", {}).get("value", "")
        if node.get("ignored") or role.lower() not in NAMED_ROLES:
            continue
        roles[role] += 1
        if not node.get("name", {}).get("value", "").strip():
            element = driver.execute_cdp_cmd("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
            nameless.append(f"{role} <{element['nodeName'].lower()} {' '.join(element.get('attributes', []))[:90]}>")
    return roles, nameless


class Walk:
    """One visitor: a screen's size and a theme."""

    def __init__(self, made, looks, findings, size, dark):
        self.made, self.looks, self.findings = made, looks, findings
        self.is_phone = size == browser.PHONE
        self.label = f"{'phone' if self.is_phone else 'desktop'}-{'dark' if dark else 'light'}"
        self.driver = browser.start(size=size, dark=dark)

    def look(self, name):
        driver = self.driver
        time.sleep(1.5)  # For people to see what a moment later is there; nothing is judged by it.
        driver.save_screenshot(str(SHOTS / f"{name}-{self.label}.png"))
        roles, nameless = tree(driver)
        print(f"    {name} {self.label}: {', '.join(f'{count} {role}' for role, count in roles.most_common())}", flush=True)
        found = [f"without a name: {one}" for one in nameless] + [flaw for flaw, holds in driver.execute_script(FLAWS).items() if holds]
        # Thumbnails that are not made yet are announced on their tiles.
        found += [*self.looks(driver), *(one for one in browser.problems(driver) if "/thumbnail?" not in one)]
        for one in found:
            self.findings[f"{name}: {one[:240]}"].append(self.label)

    def go(self):
        driver = self.driver
        try:
            driver.get(self.made.login_link())
            browser.wait(driver, ".tile")
            browser.problems(driver)  # The login page asks whether somebody is logged in, and is told no.
            for name, address in VIEWS.items():
                driver.get(f"{self.made.address}/{address}")
                browser.wait(driver, "h1")
                self.look(name)
            driver.get(self.made.address)
            photos(driver)
            (self.by_touch if self.is_phone else self.by_mouse)()
            self.by_keyboard("viewer", 4)
            # Files without a date are of the day they were written: the strangest are among them.
            today = time.strftime("%Y-%m-%d")
            driver.get(f"{self.made.address}/?from={today}&until={today}")
            photos(driver)
            self.look("today")
            self.by_keyboard("odd", 16)
        finally:
            driver.quit()

    def by_mouse(self):
        driver = self.driver
        hover(driver, ".tile.loaded")
        self.look("hovered")
        click_tile(driver, tile_ids(driver)[1])
        browser.wait(driver, "dialog.viewer[open]")
        self.look("clicked")
        ActionChains(driver).scroll_from_origin(ScrollOrigin.from_element(browser.wait(driver, ".viewer .frame")), 0, -300).perform()
        self.look("wheeled")
        leave_viewer(driver)
        choose(driver, tile_ids(driver)[:3])
        self.look("chosen")
        press(driver, Keys.ESCAPE)

    def by_touch(self):
        driver = self.driver
        spot = "const r = arguments[0].getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]"
        x, y = driver.execute_script(spot, browser.wait(driver, ".tile.loaded"))
        finger(driver, "Start", x, y)
        finger(driver, "End")
        browser.wait(driver, "dialog.viewer[open]")
        self.look("tapped")
        before = driver.current_url
        x, y = driver.execute_script(spot, browser.wait(driver, ".viewer .stage"))
        swipe(driver, (x + 120, y), (x - 120, y))
        browser.until(lambda: driver.current_url != before, "the next photo after a swipe")
        self.look("swiped")
        leave_viewer(driver)
        x, y = driver.execute_script(spot, browser.wait(driver, ".tile.loaded"))
        finger(driver, "Start", x, y)
        browser.until(lambda: "1 photo selected" in text_of(driver, ".selection-bar"), "a long press to choose")
        finger(driver, "End")
        self.look("pressed")
        browser.click(driver, "button", "Clear selection")

    def by_keyboard(self, name, count):
        driver = self.driver
        focus(driver, ".tile")
        press(driver, Keys.ENTER)
        browser.wait(driver, "dialog.viewer[open]")
        # A desktop keeps the panel open from one visit to the next.
        if driver.execute_script("return document.querySelector('.viewer .panel').hidden"):
            press(driver, "i")
        for step in range(count):
            # The names of the files are at the panel's end.
            if name == "odd":
                browser.wait(driver, ".viewer .panel .files")
                driver.execute_script("document.querySelector('.viewer .panel .files')?.scrollIntoView()")
            self.look(f"{name}{step}")
            press(driver, Keys.ARROW_RIGHT)
        for _ in range(40):
            press(driver, Keys.ARROW_RIGHT)
        self.look(f"{name}-far")
        leave_viewer(driver)


def walk(made, looks):
    """Every view in two sizes and two themes; returns the findings, and who met each."""
    findings = collections.defaultdict(list)
    for size in (browser.DESKTOP, browser.PHONE):
        for dark in (False, True):
            Walk(made, looks, findings, size, dark).go()
    return findings


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    made = library.Library(sys.argv[2] if len(sys.argv) > 2 else None)
    shutil.rmtree(SHOTS, ignore_errors=True)
    SHOTS.mkdir(parents=True)
    try:
        made.start()
        camera = made.agent_settings("gate", "camera")
        token = made.ctl("enrollment-token", "create", "--max", "addOnly", "--uses", "1", "--expires", "1h", "--quiet").strip()
        made.run("tintype-agent", "enroll", made.address, "--token", token, *camera)
        generate(made.folder / "strange", count)
        print(made.run("tintype-agent", "import", str(made.folder / "strange"), *camera, check=False, timeout=900)[-600:], flush=True)
        made.run("tintype-agent", "sync", "--once", *camera, check=False, timeout=900)
        print(f"    {sum(span['count'] for span in made.get('/v1/timeline')['spans'])} assets, {len(made.get('/v1/places')['clusters'])} clusters on the map", flush=True)
        browser.until(lambda: not any(number for state, number in made.get("/v1/admin/jobs?limit=1")["counts"].items() if state not in ("dead", "bad")), "the thumbnails", 3000)
        findings = walk(made, audit.Audit())
        print(f"    {len(findings)} findings, {len(list(SHOTS.glob('*.png')))} screenshots in {SHOTS}", flush=True)
        for finding, met in sorted(findings.items(), key=lambda one: -len(one[1])):
            print(f"    {len(met)} × {finding} ({', '.join(sorted(set(met)))})", flush=True)
    finally:
        made.stop()


if __name__ == "__main__":
    main()
