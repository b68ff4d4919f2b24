"""An open photo: its camera, its slideshow, and what it can be saved as."""

import pathlib
import shutil
import tempfile

import urllib.parse

from selenium.webdriver.common.keys import Keys

from browser import click, gone, until, wait
from hands import click_tile, go, leave_viewer, photos, prepared, press, text_of, tile_ids, told, write
from states import library


def linked_camera(context):
    """D6: a photo opened by its link names its camera, beside it and among its facts, as soon as the cameras are known."""
    driver, made = context.driver, context.library
    asset = next(one for one in made.assets() if one.get("deviceID"))
    device = "return [...document.querySelectorAll('.panel dt')].find((one) => one.textContent === 'Device')?.nextElementSibling.textContent"
    with told(driver, "if (body?.devices) await (window.heldBack ??= new Promise((go) => { window.letGo = go; }));"):
        go(context, f"?asset={asset['id']}")
        wait(driver, "dialog.viewer[open]")
        press(driver, "i")
        until(lambda: driver.execute_script(device) == asset["deviceID"], "the facts")
        until(lambda: driver.execute_script("return Boolean(window.letGo)"), "the list of cameras to be under way")
        assert "gate" not in text_of(driver, ".viewer h2"), "the name came before the list"
        driver.execute_script("letGo()")
        until(lambda: " · gate" in text_of(driver, ".viewer h2"), "the camera beside the time")
        until(lambda: driver.execute_script(device) == "gate", "the camera among the facts")
    press(driver, "i")
    leave_viewer(driver)
    driver.execute_script("sessionStorage.clear()")


def typed_title(context):
    """What is being typed when a photo is closed is saved: by Escape where it was opened by its link, and by Back."""
    driver, made = context.driver, context.library
    asset = next(one["id"] for one in made.assets() if one["mediaType"] == 1 and not one.get("title"))
    path, field = f"/v1/assets/{asset}", ".viewer .panel input[maxlength='512']"

    def typed(text, way):
        press(driver, "i")
        write(driver, field, text)
        way()
        gone(driver, "dialog.viewer[open]")

    go(context, f"?asset={asset}")
    wait(driver, ".viewer .full.loaded")
    typed("By its link", lambda: press(driver, Keys.ESCAPE))
    until(lambda: made.get(path).get("title") == "By its link", "the title of a photo that was closed by Escape")
    driver.execute_script("sessionStorage.clear()")
    go(context)
    photos(driver)
    click_tile(driver, asset)
    wait(driver, ".viewer .full.loaded")
    typed(", then by Back", driver.back)
    until(lambda: made.get(path).get("title") == "By its link, then by Back", "the title of a photo that was left by Back")
    driver.execute_script("sessionStorage.clear()")
    assert made.call("PATCH", path, {"title": ""})[0] == 200


SLIDING = "return Boolean(document.querySelector('.viewer.sliding'))"
# The end of a slide's time comes when the journey calls `slide`, and with it the next photo.
OWN_SLIDES = """
const later = setTimeout.bind(window);
window.slide = null;
window.setTimeout = (step, delay, ...more) => (delay === 4000 ? (window.slide = step, 0) : later(step, delay, ...more));
"""


def next_slide(driver):
    """Ends the time of the slide that is shown, once that has begun."""
    until(lambda: driver.execute_script("return window.slide !== null"), "the slide's time to begin")
    driver.execute_script("const step = window.slide; window.slide = null; step()")


def slideshow_videos(context):
    """A slideshow plays its videos under reduced motion too, and again if they have ended, and then goes on."""
    asset = next(one["id"] for one in context.library.assets() if one["mediaType"] == 2)
    for is_calm in (True, False):
        with context.another_browser(reduced_motion=is_calm) as driver:
            context.enter(driver)
            go(context, f"?asset={asset}", driver)
            wait(driver, ".viewer video")
            until(lambda: driver.execute_script("return document.querySelector('.viewer video').readyState > 0"), "the video's length")
            if is_calm:
                assert driver.execute_script("return document.querySelector('.viewer video').paused"), "it plays by itself"
            else:
                driver.execute_script("const player = document.querySelector('.viewer video'); player.pause(); player.currentTime = player.duration")
                until(lambda: driver.execute_script("return document.querySelector('.viewer video').ended"), "its end")
            # The photos after the video would be over soon, and the slideshow with them.
            driver.execute_script(OWN_SLIDES)
            press(driver, "s")
            until(lambda: "asset=" in driver.current_url and asset not in driver.current_url, "the next photo after the video")
            assert driver.execute_script(SLIDING), "the slideshow ended at the video"
            leave_viewer(driver)


def slideshow_waits(context):
    """A slide's time begins when its picture has come; a picture that fails, or a video, counts as come."""
    with library(context, 4, late=[1], damaged=[2]) as (driver, made):
        photos(driver)
        ids = tile_ids(driver)
        driver.get(f"{driver.current_url}?asset={ids[0]}")
        wait(driver, ".viewer .full.loaded")
        driver.execute_script(OWN_SLIDES)
        press(driver, "s")
        next_slide(driver)
        until(lambda: ids[1] in driver.current_url, "the photo that is late")
        assert not driver.execute_script("return window.slide !== null"), "its time began before it came"
        made.come.set()
        wait(driver, ".viewer .full.loaded")
        for one in ids[2:]:
            next_slide(driver)
            until(lambda: one in driver.current_url, "the next photo")
            until(lambda: "cannot be" in text_of(driver, "dialog.viewer"), "what is wrong with it")
        next_slide(driver)
        until(lambda: not driver.execute_script(SLIDING), "the end after the last photo")


def copies(context):
    """D11: a copy without location is saved by a click, is not offered of a still that is too large, and if refused, the page says why."""
    from PIL import Image
    driver, made = context.driver, context.library
    offered = "return [...document.querySelectorAll('.panel .files .file')].map((one) => one.querySelector('span').firstChild.textContent)"
    before = {one["id"] for one in made.assets()}
    hill = next(one["id"] for one in made.assets() if str(one["resources"][0]["originalFilename"]).startswith("hill-") and one.get("thumbHash"))

    def opened(asset):
        go(context, f"?asset={asset}")
        wait(driver, "dialog.viewer[open]")
        press(driver, "i")
        return until(lambda: driver.execute_script(offered), "what can be saved")

    def closed():
        leave_viewer(driver)
        driver.execute_script("sessionStorage.clear()")

    for length, is_offered in ((2**27, True), (2**27 + 1, False)):
        with told(driver, f"for (const one of body?.resources ?? []) one.byteCount = {length};"):
            names = opened(hill)
        assert "Photo" in names and ("Without location" in names) == is_offered, (length, names)
        closed()
    downloads = pathlib.Path(tempfile.mkdtemp(prefix="tintype-downloads-"))
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    # The browser may reserve the name with an empty file.
    complete = lambda names: next((one for one in downloads.glob(names) if one.stat().st_size > 0), None)
    opened(hill)
    click(driver, ".panel .file", "Without location")
    saved = until(lambda: complete("hill-* without location.jpg"), "the copy")
    assert not context.has_location(saved.read_bytes())
    closed()
    # A GIF with a place. One that breaks off before its end is shown, but what it holds is not certain, so the copy is refused.
    folder = made.folder / "copies"
    folder.mkdir()
    Image.open(made.folder / "pictures/hill-01.jpg").save(folder / "whole.gif")
    place = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' \
        b'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="52,22.2N" exif:GPSLongitude="4,53.4E"/></rdf:RDF></x:xmpmeta>'
    picture = (folder / "whole.gif").read_bytes().removesuffix(b";") + b"\x21\xff\x0bXMP DataXMP" + place + bytes([1, *range(255, -1, -1), 0])
    (folder / "whole.gif").write_bytes(picture + b";")
    (folder / "broken.gif").write_bytes(picture)
    assert context.has_location(picture + b";")
    made.run("tintype-agent", "import", str(folder), *made.camera)
    made.run("tintype-agent", "sync", "--once", *made.camera)
    pictures = {one["resources"][0]["originalFilename"]: one["id"] for one in made.assets() if one["id"] not in before}
    for asset in pictures.values():
        until(lambda asset=asset: made.get(f"/v1/assets/{asset}").get("thumbHash"), "its thumbnail")
    opened(pictures["whole.gif"])
    click(driver, ".panel .file", "Without location")
    saved = until(lambda: complete("whole without location.gif"), "the copy of the GIF")
    assert saved.read_bytes().startswith(b"GIF8") and not context.has_location(saved.read_bytes())
    closed()
    opened(pictures["broken.gif"])
    click(driver, ".panel .file", "Without location")
    until(lambda: "cannot be removed from image/gif" in text_of(driver, "#notices"), "why it was refused")
    closed()
    for asset in pictures.values():
        made.purge(asset)
    shutil.rmtree(downloads)


def span_time_lapse(context):
    """The photos of a span of days play as a time-lapse, whichever camera took them, the oldest first; movies alone are none."""
    driver, made = context.driver, context.library
    stills = [one["id"] for one in made.assets() if one["mediaType"] == 1 and one["captureTime"]["wall"].startswith("2025")]
    go(context, "?from=2025-01-01&until=2025-12-31")
    photos(driver)
    click(driver, ".title-line button", "Time-lapse")
    assert "About this camera" not in text_of(driver, ".title-line"), text_of(driver, ".title-line")
    shown = "return document.querySelector('.lapse .stage')?.dataset.id"
    most = "return Number(document.querySelector('.lapse input[type=range]')?.max)"
    until(lambda: driver.execute_script(most) == len(stills) - 1, "all stills of the year")
    for key, asset in ((Keys.HOME, stills[-1]), (Keys.END, stills[0])):
        press(driver, key)
        until(lambda: driver.execute_script(shown) == asset, "the oldest first, the newest last")
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.lapse")
    go(context, "?type=videos&from=2025-01-01&until=2025-12-31")
    photos(driver)
    click(driver, ".title-line button", "Time-lapse")
    until(lambda: "needs photos" in text_of(driver, "#notices"), "why movies alone are no time-lapse")
    assert not driver.find_elements("css selector", "dialog.lapse"), "a time-lapse of nothing"


def turned_names(context):
    """D20: a right-to-left override in a camera's name is shown as a mark among the cameras to choose from, and in the picker's title."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    path = f"/v1/admin/devices/{device}"
    name = made.get(path)["name"]
    status, answer = made.call("PATCH", path, {"name": "gate\u202egpj"})
    assert status == 200, answer
    go(context, "?rating=1")
    options = "return [...document.querySelectorAll('#cameras option')].map((one) => one.value)"
    until(lambda: "gate\ufffdgpj" in driver.execute_script(options), "the mark in the list of cameras")
    click(driver, ".filters button", "Filter")
    write(driver, ".filters [aria-label='Any device']", "gate\ufffdgpj", Keys.TAB)
    until(lambda: f"device={device}" in driver.current_url, "the camera that is shown with the mark")
    status, session = made.as_device("camera", "POST", "/v1/picker/sessions", {"purpose": "A postcard of the gate."})
    assert status == 201, session
    uri = urllib.parse.urlsplit(session["pickURI"])
    driver.get(f"{made.address}{uri.path}#{uri.fragment}")
    until(lambda: driver.title == "Choose photos for gate\ufffdgpj · Tintype", "the mark in the title")
    assert made.as_device("camera", "DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204
    assert made.call("PATCH", path, {"name": name})[0] == 200


# The presses of fingers that rest on a Live Photo, each of which would play it after a while; here none comes to its end.
OWN_PRESSES = """
const later = setTimeout.bind(window), end = clearTimeout.bind(window), frame = document.querySelector('.viewer .frame');
window.presses = new Set();
window.setTimeout = (step, delay, ...more) => {
    if (delay !== 250) return later(step, delay, ...more);
    const press = later(() => {}, 0);
    presses.add(press);
    return press;
};
window.clearTimeout = (press) => {
    presses.delete(press);
    end(press);
};
window.down = (pointerId) => frame.dispatchEvent(new PointerEvent('pointerdown', { pointerType: 'touch', pointerId, isPrimary: pointerId === 1 }));
"""


def two_fingers(context):
    """A finger that rests on a Live Photo plays it; two of them zoom it, and play nothing."""
    with library(context, 40, months=1) as (driver, made):
        photos(driver)
        click_tile(driver, made.asset(0)["id"])
        wait(driver, ".viewer .live-badge")
        driver.execute_script(OWN_PRESSES)
        presses = "window.down(arguments[0]); return window.presses.size"
        assert driver.execute_script(presses, 1) == 1, "a finger plays nothing"
        assert driver.execute_script(presses, 2) == 0, "two fingers play it"


def kind_and_offset(context):
    """The details name what a photo is in particular, and its clock's offset where the reader's is another."""
    driver = context.driver
    change = """for (const one of [body, ...body?.assets ?? []]) if (one?.captureTime) {
        one.mediaSubtypes = 4;
        delete one.captureFacts;
        one.playbackStyle = 1;
        one.captureTime.utcOffsetSeconds = %s;
    }"""
    own = "-60 * new Date(one.captureTime.wall).getTimezoneOffset()"
    for offset, is_shown in (("20700", True), ("-12600", True), (own, False)):
        with told(driver, change % offset):
            go(context)
            photos(driver)
            click_tile(driver, tile_ids(driver)[0])
            wait(driver, "dialog.viewer[open]")
            press(driver, "i")
            until(lambda: "Screenshot" in text_of(driver, ".panel dl"), "the kind")
            text = text_of(driver, ".panel dl")
            assert any(one in text for one in ("UTC+05:45", "UTC-03:30")) == is_shown == ("UTC" in text), text
            press(driver, "i")
            leave_viewer(driver)


# What would find out by itself that the session has ended comes no more.
QUIET = """
const later = setTimeout.bind(window);
window.setTimeout = (step, delay, ...more) => (delay >= 3000 ? 0 : later(step, delay, ...more));
window.EventSource = class extends EventTarget { close() {} };
"""


def ended_session(context):
    """A session that ended while a photo is open leads to the login page: at the next photo that is shown, and by each way to save."""
    made = context.library
    asset = next(one["id"] for one in made.assets() if one["mediaType"] == 1 and one["playbackStyle"] != 3 and "burst" not in one and one.get("thumbHash"))
    asked = "return performance.getEntriesByType('resource').some((one) => one.name.includes('superseded'))"
    with context.another_browser() as driver:
        def ends():
            ending = made.get("/v1/admin/web-logins")["sessions"][-1]
            assert made.call("DELETE", f"/v1/admin/web-logins/{ending['id']}")[0] == 204

        has_ended = lambda: "your login has ended" in driver.page_source
        with prepared(driver, QUIET):
            context.enter(driver)
            go(context, f"?asset={asset}", driver)
            wait(driver, ".viewer .full.loaded")
            ends()
            until(lambda: press(driver, Keys.ARROW_RIGHT) or has_ended(), "the login page, from the next photos")
            for name in ("Photo", "As JPEG"):
                context.enter(driver)
                with told(driver, "for (const one of body?.resources ?? []) one.contentType = 'image/png';"):
                    go(context, f"?asset={asset}", driver)
                    wait(driver, "dialog.viewer[open]")
                    press(driver, "i")
                    until(lambda: driver.execute_script(asked), "the facts")
                    ends()
                    click(driver, ".panel .file", name)
                    until(has_ended, f"the login page, from “{name}”")
                driver.execute_script("sessionStorage.clear()")


def gone_photo(context):
    """A link to a photo that does not exist says so, and shows the photos that do."""
    driver = context.driver
    go(context, "?asset=00000000-0000-7000-8000-000000000000")
    until(lambda: "This photo does not exist any more." in text_of(driver, "#notices"), "what is wrong")
    assert "asset=" not in driver.current_url, driver.current_url
    photos(driver)


ALL = [linked_camera, typed_title, slideshow_videos, slideshow_waits, copies, ended_session, gone_photo, span_time_lapse, turned_names, two_fingers, kind_and_offset]
