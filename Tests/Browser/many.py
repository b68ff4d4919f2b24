"""The viewer's facts, and bulk actions."""

import datetime
import io
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import wave
import zipfile

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PHONE, click, gone, until, wait
from hands import choose, click_on, click_tile, go, leave_viewer, open_first, photos, press, select, text_of, write
from states import library

CURRENT = "return document.querySelector('.film [aria-current]')?.dataset.id"


def take_in(made, name, tags):
    """The camera imports and syncs a picture with these exiftool tags; returns its identifier."""
    before = {one["id"] for one in made.assets()}
    folder = made.folder / f"tagged-{name}"
    folder.mkdir()
    shutil.copyfile(made.folder / "pictures/hill-02.jpg", folder / f"{name}.jpg")
    subprocess.run(["exiftool", "-q", "-overwrite_original", *tags, str(folder / f"{name}.jpg")], check=True)
    made.run("tintype-agent", "import", str(folder), *made.camera)
    made.run("tintype-agent", "sync", "--once", *made.camera)
    # Jobs that failed in another journey stay failed.
    until(lambda: not made.get("/v1/admin/jobs?limit=1")["counts"].get("waiting"), "its thumbnail")
    return ({one["id"] for one in made.assets()} - before).pop()


def camera_facts(context):
    """The facts show camera, lens, exposure and the place in the file's words; coordinates link to the operator's map, and nothing is requested by itself."""
    driver, made = context.driver, context.library
    asset = take_in(made, "lens", ["-Make=Canon", "-Model=Canon EOS R5", "-LensModel=RF50mm F1.8 STM", "-ExposureTime=1/250", "-FNumber=2.8", "-ISO=400",
                                   "-FocalLength=50", "-EXIF:Flash#=1", "-GPSLatitude=52.5", "-GPSLatitudeRef=N", "-GPSLongitude=4.25", "-GPSLongitudeRef=W",
                                   "-XMP-photoshop:City=Thun"])
    go(context, f"?asset={asset}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    for sign in ("Canon EOS R5", "RF50mm F1.8 STM", "1/250 s, f/2.8, ISO 400", "50 mm", "fired", "Thun, 52.5"):
        until(lambda: sign in text_of(driver, ".viewer .panel"), f"{sign} in the panel")
    assert "Canon Canon" not in text_of(driver, ".viewer .panel")
    link = until(lambda: driver.execute_script("const a = document.querySelector('.panel a[target]'); return a && [a.href, a.rel, a.textContent]"), "the link to the map")
    assert link == ["https://map.example/?at=52.50000,-4.25000&z=9", "noopener noreferrer", "52.50000, -4.25000"], link
    context.shot("camera-facts")
    leave_viewer(driver)
    driver.execute_script("sessionStorage.clear()")
    made.purge(asset)
    asset = take_in(made, "words", ["-gps:all=", "-IPTC:City=Spiez"])
    go(context, f"?asset={asset}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    place = "return [...document.querySelectorAll('.panel dt')].find((one) => one.textContent === 'Place')?.nextElementSibling.textContent"
    until(lambda: driver.execute_script(place) == "Spiez", "a place that has a name alone")
    leave_viewer(driver)
    driver.execute_script("sessionStorage.clear()")
    made.purge(asset)


def filmstrip(context):
    """The filmstrip shows and follows the neighbours: by pointer, by keys, to the end of the timeline."""
    with library(context, 40) as (driver, _):
        photos(driver)
        ids = [f"{number:08x}-0000-7000-8000-000000000000" for number in range(40)]
        open_first(driver)
        strip = "return [...document.querySelectorAll('.film button')].map((one) => one.dataset.id)"
        until(lambda: driver.execute_script(strip)[:13] == ids[:13], "the first photo and those behind it")
        press(driver, Keys.ARROW_RIGHT)
        until(lambda: driver.execute_script(CURRENT) == ids[1], "the strip to follow")
        click_on(driver, f'.film button[data-id="{ids[8]}"]')
        until(lambda: ids[8] in driver.current_url and driver.execute_script(CURRENT) == ids[8], "the photo that was clicked")
        until(lambda: ids[20] in driver.execute_script(strip), "more of them")
        press(driver, Keys.ARROW_LEFT)
        until(lambda: driver.execute_script("return document.activeElement.dataset.id") == ids[7], "the focus to go with the photo")
        names = driver.execute_script("return [...document.querySelectorAll('.film button')].every((one) => one.getAttribute('aria-label'))")
        tabs = driver.execute_script("return document.querySelectorAll('.film button[tabindex=\"0\"]').length")
        assert names and tabs == 1, (names, tabs)
        middle = """const film = document.querySelector('.film').getBoundingClientRect(), one = document.querySelector('.film [aria-current]').getBoundingClientRect();
            return one.left >= film.left && one.right <= film.right"""
        until(lambda: driver.execute_script(middle), "the open photo within the strip")
        context.shot("filmstrip", driver)
        leave_viewer(driver)
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        open_first(driver)
        until(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".film button")) > 10, "the strip on a phone")
        wide = "return document.querySelector('.viewer').scrollWidth <= innerWidth && document.querySelector('.film').clientWidth <= innerWidth"
        assert driver.execute_script(wide), "the strip widens the page"
        context.shot("filmstrip-phone", driver)
        leave_viewer(driver)


def odd_files(context):
    """A name that is not UTF-8 is shown as text among the downloads, and a damaged photo leaves no broken picture in the strip.
    Nobody knows whether the clock behind an imported file's date was right."""
    driver, made = context.driver, context.library
    before = {one["id"] for one in made.assets()}
    folder = made.folder / "odd"
    folder.mkdir()
    content = (made.folder / "pictures/hill-02.jpg").read_bytes()
    with open(os.path.join(os.fsencode(folder), b"\xff\xfehill.jpg"), "wb") as file:
        file.write(content + b"odd")
    (folder / "torn.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xfe\x00\x05odd")
    made.run("tintype-agent", "import", str(folder), *made.camera, check=False)
    made.run("tintype-agent", "sync", "--once", *made.camera)
    new = [one for one in made.assets() if one["id"] not in before]
    [named] = [one["id"] for one in new if isinstance(one["resources"][0]["originalFilename"], dict)]
    [torn] = [one["id"] for one in new if one["id"] != named]
    go(context, f"?asset={named}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    until(lambda: "hill.jpg" in text_of(driver, ".panel .files"), "the name of the file")
    assert "[object" not in text_of(driver, ".panel"), text_of(driver, ".panel")
    assert "the file’s" in text_of(driver, ".panel") and "synchronised" not in text_of(driver, ".panel"), text_of(driver, ".panel")
    press(driver, "i")
    leave_viewer(driver)
    go(context, f"?asset={torn}")
    wait(driver, "dialog.viewer[open]")
    wait(driver, f'.film [data-id="{torn}"] .missing .icon-warning')
    leave_viewer(driver)
    for asset in (named, torn):
        made.purge(asset)


def odd_kinds(context):
    """D11, D13, D14, D18: sound is called sound and plays, a raw file raw, a scan in TIFF a photo; a picture that no decoder takes says so in words for
    people. What is offered of a raw file can be saved; of a torn one only its bytes are offered."""
    driver, made = context.driver, context.library
    from PIL import Image
    before = {one["id"] for one in made.assets()}
    folder = made.folder / "kinds"
    folder.mkdir()
    with wave.open(str(folder / "bells.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(range(256)) * 60)
    preview = (made.folder / "pictures/hill-02.jpg").read_bytes()
    header = b"FUJIFILMCCD-RAW 0201FF129502X-T2".ljust(84, b"\0") + struct.pack(">II", 160, len(preview))
    (folder / "fuji.raf").write_bytes(header.ljust(160, b"\0") + preview)
    # A TIFF file with a longer header, whose first directory describes the preview.
    entries = ((0x0100, 1280), (0x0101, 720), (0x0103, 6), (0x0111, 82), (0x0117, len(preview)))
    directory = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    (folder / "canon.cr2").write_bytes(b"II*\0\x10\0\0\0CR\2\0" + bytes(4) + directory + bytes(4) + preview)
    Image.open(made.folder / "pictures/hill-02.jpg").save(folder / "scan.tif")
    (folder / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 640, 480, 8, 2, 0, 0, 0) + bytes(4))
    (folder / "noise.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" + bytes(range(1, 255)) * 9 + b"\xff\xd9")
    made.run("tintype-agent", "import", str(folder), *made.camera, check=False)
    made.run("tintype-agent", "sync", "--once", *made.camera)
    new = {one["resources"][0]["originalFilename"]: one["id"] for one in made.assets() if one["id"] not in before}
    # What can be saved of them depends on whether they could be decoded.
    for name in ("fuji.raf", "canon.cr2"):
        until(lambda: made.get(f"/v1/assets/{new[name]}").get("thumbHash"), f"the thumbnail of {name}")

    def opened(name):
        go(context, f"?asset={new[name]}")
        wait(driver, "dialog.viewer[open]")
        until(lambda: new[name] in driver.current_url, name)

    def offered():
        """What the open panel offers to save: names with addresses."""
        return dict(until(lambda: driver.execute_script(
            "return [...document.querySelectorAll('.panel .files .file')].map((one) => [one.querySelector('span').firstChild.textContent, one.href])"), "the files"))

    def fetched(names):
        for name, address in names.items():
            status = driver.execute_async_script("fetch(arguments[0]).then((answer) => answer.blob().then(() => arguments[1](answer.status)))", address)
            assert status == 200, f"{name}: {status}"

    go(context)
    photos(driver)
    bells = f'.tile[data-id="{new["bells.wav"]}"]'
    context.shot("sound-tile")
    click_tile(driver, new["bells.wav"])
    wait(driver, "dialog.viewer[open]")
    tile = driver.find_element(By.CSS_SELECTOR, bells)
    assert "broken" not in tile.get_attribute("class") and tile.find_elements(By.CSS_SELECTOR, ".icon-sound"), tile.get_attribute("outerHTML")
    leave_viewer(driver)
    opened("bells.wav")
    player = "return document.querySelector('.viewer audio')?.duration"
    until(lambda: (driver.execute_script(player) or 0) > 0.9, "its second")
    press(driver, " ")
    until(lambda: driver.execute_script("return document.querySelector('.viewer audio').currentTime") > 0, "Space to play it")
    assert "cannot be" not in text_of(driver, "dialog.viewer"), text_of(driver, "dialog.viewer")
    wait(driver, f'.film [data-id="{new["bells.wav"]}"] .icon-sound')
    context.shot("sound")
    until(lambda: driver.execute_script("return document.querySelector('dialog.viewer').getAttribute('aria-label')").startswith("Sound"), "what it is")
    press(driver, "i")
    until(lambda: "Sound" in text_of(driver, ".panel .files"), "the kind of its file")
    assert "Photo" not in text_of(driver, ".panel .files"), text_of(driver, ".panel")
    leave_viewer(driver)
    for raw in ("fuji.raf", "canon.cr2"):
        opened(raw)
        until(lambda: "Raw photo" in text_of(driver, ".panel .files"), f"that {raw} is raw")
        assert "Second photo" not in text_of(driver, ".panel"), text_of(driver, ".panel")
        names = offered()
        assert "As JPEG" in names and "Without location" not in names, names
        fetched(names)
        leave_viewer(driver)
    opened("scan.tif")
    names = offered()
    assert "Photo" in names and "Raw photo" not in names, names
    leave_viewer(driver)
    opened("torn.png")
    until(lambda: "cannot be shown" in text_of(driver, "dialog.viewer"), "that it is torn")
    assert new["torn.png"] in wait(driver, ".viewer .damage a[download]").get_attribute("href"), "its original cannot be saved from there"
    names = offered()
    assert "Photo" in names and "As JPEG" not in names and "Without location" not in names, names
    fetched(names)
    leave_viewer(driver)
    opened("noise.jpg")
    until(lambda: "cannot be shown" in text_of(driver, "dialog.viewer"), "that it is damaged")
    shown = text_of(driver, "dialog.viewer").lower()
    assert not any(word in shown for word in ("vips", "jpeglib", "decode", "marker", "huffman", "buffer")), shown
    press(driver, "i")
    leave_viewer(driver)
    with context.another_browser(size=PHONE) as phone:
        context.enter(phone)
        go(context, f"?asset={new['bells.wav']}", phone)
        wait(phone, ".viewer audio")
        fits = "const { left, right } = document.querySelector('.viewer audio').getBoundingClientRect(); return left >= 0 && right <= innerWidth"
        assert phone.execute_script(fits), "the player is wider than a phone"
        context.shot("sound-phone", phone)
    for asset in new.values():
        made.purge(asset)


def downloaded(driver, folder, deed):
    """Runs a deed that downloads an archive; returns it once it is complete."""
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    deed()

    def whole():
        # Incomplete files are no archives, so this retries.
        found = next(pathlib.Path(folder).glob("*.zip"))
        archive = zipfile.ZipFile(io.BytesIO(found.read_bytes()))
        found.unlink()
        return archive
    return until(whole, "the archive")


def save_many(context):
    """The selection as one archive: originals, JPEG, without location, a burst's whole stack; files left out are named."""
    driver, made = context.driver, context.library
    live = next(one for one in made.assets() if one["playbackStyle"] == 3)["id"]
    placed = next(one for one in made.assets() if one.get("location") and one["playbackStyle"] != 3 and "burst" not in one)["id"]
    stack = next(one for one in made.assets() if "burst" in one)["id"]
    folder = tempfile.mkdtemp(prefix="tintype-downloads-")
    go(context)
    photos(driver)
    choose(driver, [live, placed])

    def save(form=None, bare=False):
        click(driver, ".selection-bar button", "Save")
        wait(driver, "dialog.ask[open] form")
        if form:
            click_on(driver, f"dialog.ask input[value={form}]")
        if bare:
            click_on(driver, "dialog.ask input[name=bare]")
        context.shot("save-many")
        click(driver, "dialog.ask .actions button", "Save")

    archive = downloaded(driver, folder, save)
    assert archive.testzip() is None and len(archive.namelist()) == 3, archive.namelist()
    assert {one["byteCount"] for asset in (live, placed) for one in made.get(f"/v1/assets/{asset}")["resources"]} == {one.file_size for one in archive.infolist()}
    # D12: each file has its capture's time, by the clock of the place.
    expected = sorted(local_time(made.get(f"/v1/assets/{asset}")) for asset in (live, live, placed))
    dates = sorted(datetime.datetime(*one.date_time) for one in archive.infolist())
    assert all(abs((date - one).total_seconds()) <= 2 for date, one in zip(dates, expected)), (dates, expected)
    gone(driver, "dialog.ask")
    archive = downloaded(driver, folder, lambda: save("jpeg", bare=True))
    assert archive.testzip() is None and len(archive.namelist()) == 2, archive.namelist()
    assert all(name.lower().endswith("without location.jpg") for name in archive.namelist()), archive.namelist()
    assert not any(context.has_location(archive.read(name)) for name in archive.namelist())
    gone(driver, "dialog.ask")
    click(driver, "button", "Clear selection")
    choose(driver, [stack])
    archive = downloaded(driver, folder, save)
    assert archive.testzip() is None and len(archive.namelist()) == 4, archive.namelist()
    gone(driver, "dialog.ask")
    click(driver, "button", "Clear selection")
    shutil.rmtree(folder)


def change_many(context):
    """Bulk editing of the selection: dates, stars, keywords, an album; what was changed at once is told once, and reverted by one Undo."""
    driver, made = context.driver, context.library
    album = made.add_album("Harbour walk", [])
    ids = [one["id"] for one in made.assets() if one["mediaType"] == 1 and one["playbackStyle"] != 3 and "burst" not in one][:3]
    for one in ids:
        assert made.call("PATCH", f"/v1/assets/{one}", {"addedKeywords": ["rain"]})[0] == 200
    now = lambda: [made.get(f"/v1/assets/{one}") for one in ids]
    before = now()
    facts = lambda assets: [(time_of(one), one["rating"], sorted(one["keywords"])) for one in assets]
    go(context)
    photos(driver)
    choose(driver, ids)

    def change(*fields):
        click(driver, ".selection-bar button", "Change")
        wait(driver, "dialog.ask form.bulk")
        for field in fields:
            field()
        context.shot("change-many")
        click(driver, "dialog.ask .actions button", "Change")
        gone(driver, "dialog.ask")

    def undo(words):
        """Undoes what a notice tells of."""
        told = """const notice = [...document.querySelectorAll('.notice')].find((one) => one.textContent.includes(arguments[0]));
            notice?.querySelector('button').click();
            return Boolean(notice)"""
        until(lambda: driver.execute_script(told, words), words)

    # A notice stays while it has the focus.
    stay = """const notice = [...document.querySelectorAll('.notice')].find((one) => one.textContent.includes(arguments[0]));
        notice?.querySelector('button').focus();
        return Boolean(notice)"""
    change(lambda: write(driver, "dialog.ask [name=amount]", "-1.5"), lambda: select(driver, "dialog.ask [name=rating]", "4 stars"),
           lambda: write(driver, "dialog.ask [name=added]", "harbour, fog"), lambda: select(driver, "dialog.ask [name=album]", "Harbour walk"))
    both = "3 photos changed and added to “Harbour walk”."
    until(lambda: driver.execute_script(stay, both), "what was done")
    assert "Added to" not in text_of(driver, "#notices"), text_of(driver, "#notices")
    until(lambda: all(one["rating"] == 4 and {"harbour", "fog"} <= set(one["keywords"]) and album in one["albums"] for one in now()), "the change of all")
    moved = [(time_of(old) - time_of(new)) for old, new in zip(before, now())]
    assert moved == [5400] * 3, moved
    undo(both)
    until(lambda: all(album not in one["albums"] for one in now()) and facts(now()) == facts(before), "what was before, and an empty album")
    date = """const field = document.querySelector('dialog.ask [name=date]');
        field.value = '2026-02-03T04:05:06';
        field.dispatchEvent(new Event('input'));"""
    change(lambda: driver.execute_script(date), lambda: select(driver, "dialog.ask [name=removed]", "rain"))
    until(lambda: driver.execute_script(stay, "3 photos changed."), "what was done")
    until(lambda: [local_time(one) for one in now()] == [datetime.datetime(2026, 2, 3, 4, 5, 6)] * 3, "the date of all, by the clock of the place")
    until(lambda: all("rain" not in one["keywords"] for one in now()), "the keyword to go")
    undo("3 photos changed.")
    until(lambda: facts(now()) == facts(before), "what was before")
    click(driver, "button", "Clear selection")
    for one in ids:
        made.call("PATCH", f"/v1/assets/{one}", {"removedKeywords": ["rain"]})
    assert made.call("DELETE", f"/v1/albums/{album}")[0] == 204


def local_time(asset):
    """An asset's capture by the clock of the place."""
    offset = asset["captureTime"].get("utcOffsetSeconds", asset.get("assumedUTCOffsetSeconds", 0))
    return datetime.datetime.fromtimestamp(time_of(asset) + offset, datetime.timezone.utc).replace(tzinfo=None)


def time_of(asset):
    from generated_library import instant
    return instant(asset.get("captureDateOverride") or asset["captureTime"]["wall"])


ALL = [camera_facts, filmstrip, odd_files, odd_kinds, save_many, change_many]
