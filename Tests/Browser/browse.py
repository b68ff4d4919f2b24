"""Browsing: movies, downloads, photos that arrive meanwhile, and a library too large to load."""

import io
import urllib.parse
import zipfile

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PHONE, gone, until, use, wait
from hands import TILE, click_tile, fetched, focus, go, leave_viewer, photos, press, swipe, text_of, tile_ids, until_live
from states import library

PLAYING = "const v = document.querySelector('.viewer video'); return Boolean(v && v.currentTime > 0.1 && v.videoWidth > 0)"


def live_by_hand(context):
    """A Live Photo plays when focused, and in the viewer while pressed, with sound if asked."""
    driver = context.driver
    go(context, "?type=live")
    wait(driver, f"{TILE}.live.loaded")
    for _ in range(60):
        press(driver, Keys.TAB)
        if driver.execute_script("return document.activeElement.matches('.tile.live')"):
            break
    wait(driver, f"{TILE}.playing video")
    press(driver, Keys.ENTER)

    def hold():
        ActionChains(driver).release().perform()
        use(driver, ".viewer .frame:has(.full.loaded)", lambda frame: ActionChains(driver).click_and_hold(frame).perform())

    until_live(driver, hold, PLAYING, "the movie to play while it is pressed")
    ActionChains(driver).release().perform()
    gone(driver, ".viewer video")
    press(driver, "m")
    sound = "const v = document.querySelector('.viewer video'); return v && !v.muted && v.webkitAudioDecodedByteCount > 0"
    until_live(driver, lambda: press(driver, "l"), sound, "sound")
    leave_viewer(driver)


def video(context):
    """D5: a video shows its length in the grid, and plays in the viewer; Space pauses it and plays it again, with the focus on it or not."""
    driver = context.driver
    go(context, "?type=videos")
    wait(driver, f"{TILE}.loaded")
    until(lambda: "0:02" in text_of(driver, f"{TILE} .marks"), "the video's length")
    assert " video" in text_of(driver, ".title-line") and " photo" not in text_of(driver, ".title-line"), text_of(driver, ".title-line")
    click_tile(driver, tile_ids(driver)[0])
    wait(driver, ".viewer video[controls]")
    until(lambda: driver.execute_script(PLAYING), "the video to play")
    assert wait(driver, ".viewer video").get_attribute("aria-label"), "a screen reader is told which video it is"
    # It would end by itself.
    driver.execute_script("const v = document.querySelector('.viewer video'); v.loop = true; v.play()")
    is_paused = "return document.querySelector('.viewer video').paused"
    for focused in (".viewer .stage", ".viewer video"):
        focus(driver, focused)
        for expected in (True, False):
            until(lambda: driver.execute_script(is_paused) != expected, "the video to be as before")
            press(driver, " ")
            until(lambda: driver.execute_script(is_paused) == expected, f"Space to {'pause' if expected else 'play'} it")
    context.shot("video")
    leave_viewer(driver)


def video_on_a_phone(context):
    """On a phone a swipe over a video's controls seeks in it, and one over its picture goes on; that the video failed then says nothing of the next."""
    asset = next(one["id"] for one in context.library.assets() if one["mediaType"] == 2)
    with context.another_browser(size=PHONE) as driver:
        context.enter(driver)
        go(context, f"?asset={asset}", driver)
        wait(driver, ".viewer video[controls]")
        until(lambda: driver.execute_script("return document.querySelector('.viewer video').readyState > 0"), "the video")
        box = driver.execute_script("const r = document.querySelector('.viewer video').getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]")
        left, right, middle = box[0] + 60, box[2] - 60, (box[1] + box[3]) / 2
        assert box[3] - 80 > middle, f"the video has no room beside its controls: {box}"
        swipe(driver, (right, box[3] - 24), (left, box[3] - 24))
        driver.execute_async_script(FRAMES)
        assert asset in driver.current_url, "seeking went to the next photo"
        driver.execute_script("window.left = document.querySelector('.viewer video')")
        swipe(driver, (right, middle), (left, middle))
        until(lambda: "asset=" in driver.current_url and asset not in driver.current_url, "the next photo")
        driver.execute_script("left.dispatchEvent(new Event('error'))")
        assert not driver.find_elements(By.CSS_SELECTOR, ".viewer .damage"), "the next photo is called damaged"


def downloads(context):
    """Every download has the advertised form, name and content type."""
    driver, library = context.driver, context.library
    assets = library.assets()
    live = next(one for one in assets if one["playbackStyle"] == 3)
    heic = next(one for one in assets if one["resources"][0]["contentType"] == "image/heic")
    movie = next(one for one in assets if one["mediaType"] == 2)
    expected = {
        live["id"]: {"Photo": b"\xff\xd8\xff", "Live Photo movie": b"ftypqt", "Without location": b"\xff\xd8\xff", "Live Photo": b"PK\x03\x04",
                     "Motion Photo": b"\xff\xd8\xff", "Live Photo, without location": b"PK\x03\x04", "Motion Photo, without location": b"\xff\xd8\xff"},
        movie["id"]: {"Video": b"ftyp", "Without location": b"ftyp"},
        heic["id"]: {"Photo": b"ftypheic", "As JPEG": b"\xff\xd8\xff", "As JPEG, without location": b"\xff\xd8\xff", "Without location": b"ftypheic"},
    }
    for asset, forms in expected.items():
        go(context, f"?asset={asset}")
        wait(driver, "dialog.viewer[open]")
        press(driver, "i")
        wait(driver, ".panel .file")
        links = driver.execute_script("""return Object.fromEntries([...document.querySelectorAll('.panel .file')].map((link) =>
            [link.querySelector('span').firstChild.textContent, link.getAttribute('href')]))""")
        assert set(links) == set(forms), links
        for name, sign in forms.items():
            answer = fetched(driver, links[name])
            content = bytes(answer["bytes"])
            assert answer["status"] == 200 and sign in content[:12], f"{name}: {answer['status']} {content[:12]}"
            assert answer["headers"]["x-content-type-options"] == "nosniff", f"{name}: {answer['headers']}"
            saved = urllib.parse.unquote(answer["headers"]["content-disposition"])
            assert ("without location" in saved) == ("ithout location" in name), f"{name} is saved as {saved}"
            if "JPEG" in name:
                assert saved.endswith(".jpg") and asset not in saved, f"{name} is saved as {saved}"
            if "ithout location" in name and not name.startswith("Live"):
                assert not context.has_location(content), f"{name} has the place"
            if name.startswith("Live Photo") and "movie" not in name:
                entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
                assert sorted(one.filename.rsplit(".", 1)[1].lower() for one in entries) == ["jpg", "mov"], entries
                assert all(one.date_time[0] >= 2025 for one in entries), entries
            if name.startswith("Motion Photo"):
                assert b"ftyp" in content, "no movie in the Motion Photo"
        press(driver, "i")
        leave_viewer(driver)


def live_updates(context):
    """A new photo appears without a reload; one trashed elsewhere disappears."""
    driver, library = context.driver, context.library
    go(context)
    photos(driver)
    before = set(tile_ids(driver))
    driver.execute_script("window.isTheSamePage = true")
    library.capture("--count", "1")
    until(lambda: set(tile_ids(driver)) > before, "the new photo")
    new = (set(tile_ids(driver)) - before).pop()
    wait(driver, f'.tile.loaded[data-id="{new}"]')
    assert library.call("DELETE", f"/v1/assets/{new}")[0] == 204
    until(lambda: new not in tile_ids(driver), "the photo to go")
    assert driver.execute_script("return window.isTheSamePage")


def arranged_elsewhere(context):
    """The page follows when an album is reordered elsewhere; photos that did not move keep their elements, drags and focus."""
    driver, library = context.driver, context.library
    ids = [one["id"] for one in library.assets()[:5]]
    album, beside = library.add_album("Moved elsewhere", ids), library.add_album("Beside", [])
    go(context, f"?view=album&id={album}")
    until(lambda: tile_ids(driver) == ids, "the album as it was put together")
    until(lambda: driver.find_elements(By.CSS_SELECTOR, ".filters [aria-label='Any device']"), "the list of devices")
    focus(driver, f".tile[data-id='{ids[0]}']")
    assert library.call("POST", f"/v1/albums/{album}/moves", {"assets": [ids[4]]})[0] < 300
    until(lambda: tile_ids(driver) == [ids[4], *ids[:4]], "the order that somebody else made")
    until(lambda: driver.execute_script("return document.activeElement.dataset.id") == ids[0], "the focus where its photo is now")

    loads = lambda: driver.execute_script("return performance.getEntriesByName(arguments[0]).length", f"{library.address}/v1/albums/{album}/assets?limit=400")
    before = loads()
    focus(driver, ".title-line select")
    driver.execute_script("window.kept = [...document.querySelectorAll('.title-line select, .filters select, .row.tiles .tile')]")
    assert library.call("POST", f"/v1/albums/{beside}/assets", {"assets": ids[:1]})[0] < 300
    until(lambda: loads() > before, "the album to be asked for again")
    driver.execute_async_script(FRAMES)
    assert driver.execute_script("return window.kept.length > 6 && window.kept.every((one) => one.isConnected)"), "what did not change was made anew"
    assert driver.execute_script("return document.activeElement.matches('.title-line select')"), "the focus is lost"


def every_filter(context):
    """Each filter is part of the address, and shows what the library's API returns for it."""
    driver, library = context.driver, context.library
    assets = library.assets()
    chosen = assets[-1]["id"]
    status, answer = library.call("PATCH", f"/v1/assets/{chosen}", {"rating": 3, "isFavorite": True, "addedKeywords": ["ridge"], "caption": "Above the fog"})
    assert status == 200, answer
    device = assets[0]["deviceID"]
    album = library.add_album("Filtered", [one["id"] for one in assets[:4]])
    year = [one["id"] for one in assets if one["captureTime"]["wall"].startswith("2025")]
    marked = [one["id"] for one in library.assets() if one["isFavorite"]]
    cases = {
        "type=videos": [one["id"] for one in assets if one["mediaType"] == 2],
        "from=2025-01-01&until=2025-12-31": year,
        f"device={device}": [one["id"] for one in assets if one.get("deviceID") == device],
        f"album={album}": [one["id"] for one in assets[:4]],
        "rating=3": [one["id"] for one in library.assets() if one["rating"] >= 3],
        "keyword=ridge": [chosen],
        "favorite=1": marked,
        "text=fog": [chosen],
        f"type=images&favorite=1&text=fog&album={album}": [],
    }
    for query, expected in cases.items():
        go(context, f"?{query}")
        count = f"{len(expected)} {'video' if query == 'type=videos' else 'photo'}{'' if len(expected) == 1 else 's'}"
        until(lambda: text_of(driver, ".view-heading .quiet") == count if expected
              else "Nothing matches" in text_of(driver, "#content"), f"the count of {query}: {count}, not {text_of(driver, '.view-heading .quiet')}")
        if expected:
            photos(driver)
            assert set(tile_ids(driver)) <= set(expected), query
        shown = lambda: driver.execute_script("return [...document.querySelectorAll('.filters .set input, .filters .set, .filters [aria-pressed=true]')].filter((one) => one.value || one.matches('button')).length")
        parts = len([key for key in urllib.parse.parse_qs(query) if key != "text"])
        until(lambda: shown() == parts, f"{query}: {parts} parts to be shown as set")


# Scrolls to a place, or to one so far above the end; whether the photos there have all come. Heights are estimated until then, so
# a page that is still loading may have no such place yet, or move it.
THERE = """
const scroller = document.querySelector('.scroller'), view = scroller.getBoundingClientRect();
const top = arguments[0] < 0 ? scroller.scrollHeight - scroller.clientHeight + arguments[0] : arguments[0];
if (scroller.scrollTop !== top) {
    scroller.scrollTop = top;
    return false;
}
const boxes = [...document.querySelectorAll('.row.tiles')].map((row) => row.getBoundingClientRect());
return boxes.some(({ top, bottom }) => top < view.bottom && bottom > view.top) && !document.querySelector('.skeleton, .tile:not(.loaded)');
"""


# Two frames later: what was to be done in the next frame is done, and drawn.
FRAMES = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"


def scroll_to(driver, top):
    until(lambda: driver.execute_script(THERE, top), f"the photos at {top}")


# Frames 16 ms apart by the page's clock, however long they take, and a wait for the end of scrolling that the test ends.
OWN_CLOCK = """
const frame = requestAnimationFrame.bind(window), later = setTimeout.bind(window);
let now = performance.now();
window.settle = () => {};
window.requestAnimationFrame = (step) => frame(() => step(now += 16));
window.setTimeout = (step, delay, ...more) => String(step).includes('onRest') ? (window.settle = step, 0) : later(step, delay, ...more);
"""
FLIGHT = """
const done = arguments[0], scroller = document.querySelector('.scroller');
const tiles = () => [...document.querySelectorAll('.tile')];
const frame = () => new Promise((next) => requestAnimationFrame(next));
const view = scroller.getBoundingClientRect();
const isFar = ({ top, bottom }) => top > view.bottom + 1 || bottom < view.top - 1;
(async () => {
    const passed = [];
    let far = 0;
    for (let step = 0; step < 6; step += 1) {
        const before = new Set(tiles());
        scroller.scrollTop -= 2500;
        await frame();
        // The speed is known from the second rendering on.
        if (step < 2) continue;
        const fresh = tiles().filter((one) => !before.has(one));
        passed.push(...fresh.map((one) => one.classList.contains('bare') && !one.querySelector('img, canvas')));
        far += fresh.filter((one) => isFar(one.getBoundingClientRect())).length;
    }
    done([passed.length, passed.filter((isBare) => !isBare).length, document.querySelectorAll('.tile.bare').length, far]);
})();
"""


def flight(context):
    """Photos that fly past are not loaded, nor created before they are in view; those in view when scrolling ends are loaded."""
    with library(context, 3000, months=1) as (driver, _):
        for step in range(11):
            scroll_to(driver, 1500 * step)
        driver.execute_script(OWN_CLOCK)
        passed, loading, bare, far = driver.execute_async_script(FLIGHT)
        assert passed and bare and not loading and not far, (passed, loading, bare, far)
        driver.execute_script("settle()")
        until(lambda: not driver.find_elements(By.CSS_SELECTOR, ".tile.bare, .tile:not(.loaded)"), "the photos where scrolling ended")


# What each turn of the page's scripts adds: pictures, and those of them in view.
TURNS = """
const done = arguments[0], scroller = document.querySelector('.scroller'), view = scroller.getBoundingClientRect();
const isInView = ({ top, bottom }) => top < view.bottom && bottom > view.top;
const turns = [];
new MutationObserver((records, observer) => {
    const added = records.flatMap((record) => [...record.addedNodes]).filter((node) => node instanceof Element);
    const pictures = [...new Set(added.flatMap((node) => [node, ...node.querySelectorAll('img')]).filter((node) => node.matches('img')))];
    if (pictures.length > 0) turns.push([pictures.length, pictures.filter((one) => isInView(one.getBoundingClientRect())).length]);
    if (turns.length < 3 || document.querySelector('.tile.bare')) return;
    observer.disconnect();
    done(turns);
}).observe(document.querySelector('.canvas'), { childList: true, subtree: true });
scroller.scrollTop = 2500;
"""


def pictures_in_turn(context):
    """After a jump pictures load a few per frame, those in view first."""
    with library(context, 3000, months=1) as (driver, _):
        for top in (2500, 0):
            scroll_to(driver, top)
        turns = driver.execute_async_script(TURNS)
        assert max(count for count, _ in turns) <= 8, turns
        assert turns[0][0] == turns[0][1], turns


# The page's clock stands still, and pictures that have come wait for the test to show them.
STANDSTILL = """
const later = setTimeout.bind(window), now = performance.now();
performance.now = () => now;
Object.assign(window, { come: new WeakSet(), held: [] });
document.addEventListener('load', ({ target }) => come.add(target), true);
window.setTimeout = (step, delay, ...more) => String(step).includes('appearedAt') ? held.push({ step, delay }) : later(step, delay, ...more);
"""
COME = """
const view = document.querySelector('.scroller').getBoundingClientRect(), tiles = [...document.querySelectorAll('.tile')];
const isInView = (tile) => tile.getBoundingClientRect().top < view.bottom && tile.getBoundingClientRect().bottom > view.top;
return tiles.some(isInView) && !document.querySelector('.skeleton') && tiles.every((tile) => come.has(tile.querySelector('img')));
"""
SHOW = """
const tiles = [...document.querySelectorAll('.tile')].filter((tile) => come.has(tile.querySelector('img')));
const shown = () => tiles.filter((tile) => tile.matches('.loaded')).length;
const before = shown(), delays = held.map(({ delay }) => delay);
for (const { step } of held.splice(0)) step();
return [tiles.length, before, shown(), delays];
"""


def pictures_together(context):
    """Pictures that come one after the other appear together, 80 ms after the last ones, so that the page is drawn less often."""
    with library(context, 3000, months=1) as (driver, _):
        for top in (2500, 0):
            scroll_to(driver, top)
        driver.execute_script(STANDSTILL)
        for top in (2500, 0):
            driver.execute_script("document.querySelector('.scroller').scrollTop = arguments[0]", top)
            until(lambda: driver.execute_script(COME), "the pictures to come")
            come, before, shown, delays = driver.execute_script(SHOW)
            assert come > 8 and before == 0 and shown == come and len(delays) == 1, (top, come, before, shown, delays)
        assert abs(delays[0] - 80) < 0.1, delays


def tab_stop(context):
    """One photo is reachable by Tab near the timeline's end as well, where rows go and none come."""
    stops = """return [...document.querySelectorAll('.tile[tabindex="0"]')].length"""
    with library(context, 200, months=1) as (driver, _):
        for top in (-1600, -1200, -800, -400, -1):
            scroll_to(driver, top)
            driver.execute_async_script(FRAMES)
            assert driver.execute_script(stops) == 1, top


def left_early(context):
    """A view that is left before its pictures have come does not ask for them again."""
    with library(context, 3000, months=1) as (driver, made):
        scroll_to(driver, 0)
        # A page that has not loaded yet would wait for them.
        made.are_pictures_held = True
        driver.execute_script("document.querySelector('.scroller').scrollTop = 2500")
        until(lambda: driver.find_elements(By.CSS_SELECTOR, ".tile:not(.loaded) img"), "pictures that are asked for")
        driver.execute_script("""
            const ask = fetch.bind(window);
            window.asked = [];
            window.fetch = (address, ...more) => {
                asked.push(String(address));
                return ask(address, ...more);
            };
            document.querySelector('#places [data-view="albums"]').click();
        """)
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        asked = driver.execute_script("return asked")
        made.come.set()
        assert not [one for one in asked if "thumbnail" in one], asked


def left_unexplained(context):
    """A view that is left no longer asks why pictures are missing."""
    with library(context, 3000, months=1) as (driver, made):
        scroll_to(driver, 0)
        made.arriving = set(range(3000))
        # The answers do not come until the view is left.
        driver.execute_script("""
            const ask = fetch.bind(window);
            window.signals = [];
            window.fetch = (address, options, ...more) => String(address).includes('thumbnail')
                ? new Promise((_, fail) => {
                    signals.push(options.signal);
                    options.signal?.addEventListener('abort', fail);
                })
                : ask(address, options, ...more);
            document.querySelector('.scroller').scrollTop = 2500;
        """)
        until(lambda: driver.execute_script("return signals.length"), "pictures that are missing")
        driver.execute_script("document.querySelector('#places [data-view=\"albums\"]').click()")
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        assert driver.execute_script("return signals.every((one) => one?.aborted)"), "reasons are asked for that nobody will see"


ALL = [live_by_hand, video, video_on_a_phone, downloads, live_updates, arranged_elsewhere, every_filter, flight, pictures_in_turn, pictures_together,
       tab_stop, left_early, left_unexplained]
