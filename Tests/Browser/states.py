"""Unusual states, each in a generated library: empty, limited, late, damaged, refused."""

import contextlib
import time

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import generated_library
from browser import PHONE, click, gone, until, use, wait
from hands import TILE, click_tile, focus, open_first, photos, press, text_of, tile_ids, told


@contextlib.contextmanager
def library(context, count, size=None, **moods):
    """A browser at a generated library; yields both."""
    server = generated_library.serve(count, **moods)
    try:
        with context.another_browser(**({"size": size} if size else {})) as driver:
            driver.get(f"http://127.0.0.1:{server.server_address[1]}/")
            wait(driver, "h1")
            yield driver, server.RequestHandlerClass.library
    finally:
        server.shutdown()


def empty(context):
    """An empty library explains how to add photos."""
    with library(context, 0) as (driver, _):
        until(lambda: "No photos yet" in text_of(driver, "#content"), "the empty library")
        until(lambda: "tintypectl enrollment-token create" in text_of(driver, "#content"), "the next step")
        until(lambda: not driver.execute_script("return document.querySelector('.filters').checkVisibility()"), "no filters where there is nothing to filter")
        context.shot("state-empty", driver)
        driver.get(f"{driver.current_url}?view=album&id=gone")
        until(lambda: "This album does not exist any more" in text_of(driver, "#content"), "the reason")
        click(driver, "button", "All photos")
        until(lambda: "No photos yet" in text_of(driver, "#content"), "the way back")


def limited(context):
    """A limited view says so."""
    with library(context, 9, access="limited") as (driver, _):
        until(lambda: "You see a selection of this library" in text_of(driver, ".banner"), "the banner")
        photos(driver)
        context.shot("state-limited", driver)
    with library(context, 0, access="limited") as (driver, _):
        until(lambda: "Nothing selected for you yet" in text_of(driver, "#content"), "the empty selection")


def loading(context):
    """Loading photos have placeholders, and are announced to screen readers."""
    with library(context, 40, is_held=True) as (driver, made):
        wait(driver, ".skeleton")
        assert "Loading" in driver.execute_script("return document.querySelector('.skeleton').textContent")
        context.shot("state-loading", driver)
        made.go_on.set()
        photos(driver)


def arriving(context):
    """A photo whose thumbnail is being made says so over its placeholder, and replaces it without a reload."""
    with library(context, 6, arriving=[0]) as (driver, made):
        wait(driver, ".tile.arriving .hash")
        context.shot("state-arriving", driver)
        made.arriving.clear()
        until(lambda: not driver.find_elements(By.CSS_SELECTOR, f"{TILE}:not(.loaded)"), "the late thumbnail")
        gone(driver, ".tile .hash")


def damaged(context):
    """A damaged file says so in grid and viewer, with the reason, without affecting its neighbours."""
    with library(context, 6, damaged=[1]) as (driver, made):
        until(lambda: "ends in the middle" in wait(driver, ".tile.broken").get_attribute("title"), "the reason")
        until(lambda: len(driver.find_elements(By.CSS_SELECTOR, f"{TILE}:not(.loaded)")) == 1, "the others")
        context.shot("state-damaged", driver)
    with library(context, 6, size=PHONE, damaged=[0]) as (driver, made):
        wait(driver, TILE)
        driver.execute_script("document.querySelector(arguments[0]).click()", TILE)
        until(lambda: "cannot be shown" in text_of(driver, "dialog.viewer"), "the reason in the viewer")
        press(driver, "i")
        # The facts cover the lower part of the picture, never what is wrong with it.
        driver.execute_script("const { style } = document.querySelector('.viewer .frame'); style.setProperty('--ratio', '9 / 16'); style.setProperty('--ratio-number', '0.5625')")
        seen = "const [text, panel] = ['.damage', '.panel'].map((one) => document.querySelector(`.viewer ${one}`)); const range = document.createRange(); range.selectNodeContents(text); return panel.getBoundingClientRect().top - range.getBoundingClientRect().bottom"
        until(lambda: driver.execute_script(seen) >= 0, "the reason above the facts")
        context.shot("state-damaged-phone", driver)


def damaged_moment(context):
    """Among the photos of the same moment, a damaged file says so as in the grid, with the reason."""
    with library(context, 1, months=1, damaged=[0]) as (driver, made):
        with told(driver, "if (body?.devices) body.devices = [{ id: 'north', name: 'north', state: 'active', lookAlikes: [] }];"):
            driver.get(f"{driver.current_url}?view=moment&id={made.asset(0)['captureTime']['wall']}")
            until(lambda: "ends in the middle" in wait(driver, ".moment .broken").get_attribute("title"), "the reason")
            said = "return getComputedStyle(document.querySelector('.moment .broken'), '::before').content"
            assert driver.execute_script(said) == '"Damaged"', driver.execute_script(said)
            assert not driver.find_elements(By.CSS_SELECTOR, ".moment img"), "an image that is broken"
            context.shot("state-damaged-moment", driver)


def refused(context):
    """A refused edit is explained with what to do; the page shows the actual state."""
    with library(context, 6, refuses="This operator may look and not change.") as (driver, _):
        photos(driver)
        open_first(driver)
        press(driver, "f")
        until(lambda: "may look and not change" in text_of(driver, "#notices"), "the reason")
        until(lambda: "once an administrator has decided" in text_of(driver, "#notices"), "what to do")
        pressed = "return document.querySelector('[aria-label=Favourite]').getAttribute('aria-pressed')"
        until(lambda: driver.execute_script(pressed) == "false", "what is true")
        context.shot("state-refused", driver)


def conflict(context):
    """A title that lost a conflict is shown and can be restored, with undo."""
    with library(context, 6, loses=0) as (driver, made):
        photos(driver)
        open_first(driver)
        press(driver, "i")
        until(lambda: "What the other one wrote" in text_of(driver, ".superseded"), "the value that lost")
        context.shot("conflict", driver)
        click(driver, "button", "Use this title instead")
        until(lambda: made.titles.get(0) == "What the other one wrote", "the title to be put back")
        until(lambda: driver.execute_script("return document.querySelector('.panel input').value") == "What the other one wrote", "the title on the page")
        until(lambda: not driver.find_elements(By.CSS_SELECTOR, ".superseded li"), "nothing left to put back")
        click(driver, "button", "Undo")
        until(lambda: made.titles.get(0) == "", "the title that was there before")


def raw_pair(context):
    """RAW and JPEG of one shot are one photo, marked as such; both can be downloaded."""
    with library(context, 6, raw=[1]) as (driver, _):
        until(lambda: "6 photos" in text_of(driver, ".view-heading"), "the pair to count as one")
        pair = until(lambda: next(one for one in tile_ids(driver) if one.startswith("00000001")), "the pair")
        until(lambda: text_of(driver, f'{TILE}[data-id="{pair}"] .marks') == "RAW+JPEG", "the mark of the pair")
        others = driver.execute_script("return [...document.querySelectorAll('.tile .marks')].filter((one) => one.innerText.includes('RAW')).length")
        assert others == 1, f"{others} photos are marked as raw"
        click_tile(driver, pair)
        wait(driver, "dialog.viewer[open]")
        press(driver, "i")
        wait(driver, ".panel .file")
        for name in ("IMG_00001.JPG", "IMG_00001.DNG"):
            until(lambda: name in text_of(driver, ".panel .files"), name)
        context.shot("raw-pair", driver)


def incomplete_live_photo(context):
    """A Live Photo whose movie never came says so in the grid and the viewer, with the reason."""
    with library(context, 6, incomplete=[1]) as (driver, _):
        photos(driver)
        words = "Live Photo without its movie"
        named = "return [...document.querySelectorAll('.tile')].filter((one) => one.getAttribute('aria-label')?.startsWith(arguments[0])).map((one) => one.dataset.id)"
        alone = until(lambda: driver.execute_script(named, words), "its name in the grid")
        assert [one[:8] for one in alone] == ["00000001"], f"called incomplete: {alone}"
        click_tile(driver, alone[0])
        shown = wait(driver, "dialog.viewer[open]")
        until(lambda: shown.get_attribute("aria-label").startswith(words), "its name in the viewer")
        press(driver, "i")
        wait(driver, ".viewer .panel dl")
        until(lambda: words in text_of(driver, ".viewer .panel dl"), "what it is")
        until(lambda: "the camera stopped or the box lost power" in text_of(driver, ".viewer .panel dl"), "why it is incomplete")
        context.shot("live-photo-incomplete", driver)


def million(context):
    """A million photos: the scrubber jumps anywhere at once, by pointer and keys, and no month loads completely."""
    with library(context, 1_000_000) as (driver, made):
        photos(driver)
        until(lambda: "1,000,000 photos" in text_of(driver, ".view-heading"), "the count")
        where = "return document.querySelector('.scrubber').getAttribute('aria-valuetext')"
        first = driver.execute_script(where)
        use(driver, ".scrubber", lambda track: ActionChains(driver).move_to_element_with_offset(track, 0, 0).click_and_hold().move_by_offset(0, 60).perform())
        until(lambda: text_of(driver, ".scrubber .bubble") not in ("", first), "the month under the pointer")
        context.shot("scrubber", driver)
        ActionChains(driver).release().perform()
        middle = until(lambda: driver.execute_script(where) != first and driver.execute_script(where), "another month")
        photos(driver)
        assert driver.execute_script("return document.querySelectorAll('.tile').length") < 400, "too many elements"
        focus(driver, ".scrubber")
        press(driver, Keys.END)
        until(lambda: driver.execute_script(where) not in (first, middle), "the oldest month")
        photos(driver)
        last = "return [...document.querySelectorAll('h2')].at(-1).textContent"
        until(lambda: driver.execute_script(last).split()[-1] < middle.split()[-1], "an older year")
        press(driver, Keys.HOME)
        until(lambda: driver.execute_script(where) == first, "the newest month")
        photos(driver)
        assert 0 < made.largest_page <= 400, f"a page of {made.largest_page}"


def year_marks(context):
    """The scrubber marks as many years as have room, also after the window became lower or higher."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        width, height = driver.execute_script("return [innerWidth, innerHeight]")
        marks = lambda: driver.execute_script("return [...document.querySelectorAll('.scrubber .years span')].map((one) => one.textContent)")

        def resize(height):
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

        years = until(marks, "the years")
        resize(300)
        few = until(lambda: 0 < len(marks()) < len(years) and marks(), "fewer years in a low window")
        resize(height)
        until(lambda: len(marks()) > len(few), "more years in a high one")


def scrubber_values(context):
    """The scrubber tells screen readers which month it is at, of how many: from the first on, when an older month comes, and at the end."""
    with library(context, 3000) as (driver, made):
        photos(driver)
        values = lambda: driver.execute_script("""
            const track = document.querySelector('.scrubber');
            return ['min', 'now', 'max', 'text'].map((one) => track.getAttribute(`aria-value${one}`))""")
        count = len({time.strftime("%Y-%m", time.gmtime(one)) for one in made.times})
        first = values()
        assert first[:3] == ["0", "0", str(count - 1)] and text_of(driver, ".row.heading h2").startswith(first[3]), first
        # One photo 40 days before the oldest, and word of one that is not listed yet.
        made.times.append(made.times[-1] - 40 * 86400)
        made.told.put({**made.asset(0), "id": f"{len(made.times):08x}-0000-7000-8000-000000000000"})
        until(lambda: values()[2] == str(count), "one month more")
        focus(driver, ".scrubber")
        # The end moves on while the photos there load.
        until(lambda: press(driver, Keys.END) or values()[1] == values()[2], "the oldest month")
        assert values()[3] != first[3], values()
        press(driver, Keys.HOME)
        until(lambda: values()[1] == "0" and values()[3] == first[3], "the newest month")


def scrubber_button(context):
    """The right button does not grab the scrubber, which its menu would not let go again."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        moved = """
            const track = document.querySelector('.scrubber'), { left, bottom } = track.getBoundingClientRect();
            for (const type of ['pointerdown', 'pointermove']) {
                track.dispatchEvent(new PointerEvent(type, { clientX: left, clientY: bottom - 9, button: arguments[0] }));
            }
            return document.querySelector('.scroller').scrollTop"""
        assert driver.execute_script(moved, 2) == 0, "it was grabbed"
        assert driver.execute_script(moved, 0) > 0, "the left button does not grab it"


def scrubber_released(context):
    """The scrubber lets go with the button, each time that it is grabbed, and listens for that once."""
    with library(context, 3000) as (driver, _):
        photos(driver)

        def listeners():
            track = driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "document.querySelector('.scrubber')"})["result"]["objectId"]
            return sorted(one["type"] for one in driver.execute_cdp_cmd("DOMDebugger.getEventListeners", {"objectId": track})["listeners"])

        before = listeners()
        for _ in range(2):
            grab = lambda track: ActionChains(driver).move_to_element_with_offset(track, 0, 0).click_and_hold().move_by_offset(0, 60)
            use(driver, ".scrubber", lambda track: grab(track).perform())
            wait(driver, ".scrubber.held")
            ActionChains(driver).release().perform()
            gone(driver, ".scrubber.held")
        assert listeners() == before, f"{listeners()} after {before}"


def overtaken(context):
    """An edit's response that is older than a streamed change does not restore the old state."""
    with library(context, 6, overtaken="Written in between") as (driver, made):
        photos(driver)
        open_first(driver)
        press(driver, "i")
        wait(driver, ".viewer .panel input")
        until(lambda: driver.execute_script("return performance.getEntriesByType('resource').some((entry) => entry.name.includes('superseded'))"), "the panel")
        press(driver, "f")
        until(lambda: "favourite" in text_of(driver, "#notices"), "the answer")
        shown = "return [document.querySelector('.panel input').value, document.querySelector('[aria-label=Favourite]').getAttribute('aria-pressed')]"
        until(lambda: driver.execute_script(shown) == ["Written in between", "true"], "what was written in between")


def stepping(context):
    """Arrows cross months that were not loaded, and return."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        click_tile(driver, tile_ids(driver)[0])
        wait(driver, "dialog.viewer[open]")
        first = driver.current_url
        for _ in range(30):
            before = driver.current_url
            press(driver, Keys.ARROW_RIGHT)
            until(lambda: driver.current_url != before, "the next picture")
        for _ in range(30):
            before = driver.current_url
            press(driver, Keys.ARROW_LEFT)
            until(lambda: driver.current_url != before, "the picture before")
        assert driver.current_url == first


def strips_are_sharp(context):
    """A picture far wider or taller than its tile has the larger thumbnail, also in the viewer; others have the smaller one."""
    with library(context, 6, months=1, shapes={1: (12000, 1000), 2: (1000, 12000)}) as (driver, _):
        photos(driver)
        sizes = "return [...document.querySelectorAll('.tile img')].map((one) => [one.closest('.tile').dataset.id, new URL(one.src).searchParams.get('size')])"
        until(lambda: len(driver.execute_script(sizes)) == 6, "the thumbnails")
        for asset, size in driver.execute_script(sizes):
            assert size == ("1024" if int(asset[:8], 16) in (1, 2) else "256"), f"{asset} is shown by {size} pixels"
        wide = next(one for one in tile_ids(driver) if int(one[:8], 16) == 1)
        click_tile(driver, wide)
        wait(driver, ".viewer .full.loaded")
        asked = driver.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
        assert not any(wide in one and "size=256" in one for one in asked), "the viewer loads another thumbnail than the grid"


def future_date(context):
    """The date of a clock that is ahead is said to be in the future."""
    with library(context, 6) as (driver, made):
        made.times[0] += 3660 * 86_400
        driver.refresh()
        photos(driver)
        click_tile(driver, tile_ids(driver)[0])
        wait(driver, ".viewer .full.loaded")
        press(driver, "i")
        until(lambda: "in the future" in text_of(driver, ".panel"), "the remark")
        press(driver, Keys.ARROW_RIGHT)
        until(lambda: "Clock" in text_of(driver, ".panel") and "in the future" not in text_of(driver, ".panel"), "the next photo without it")


def disk(context):
    """The Health page shows the free space; it explains what to do if it is low, and what it means if there is none."""
    rooms = {"ample": "400.0 GiB free", "low": "Little space is left", "full": "uploads are refused"}
    for state, sign in rooms.items():
        with library(context, 6, room=state) as (driver, made):
            driver.get(f"{driver.current_url}?view=health")
            until(lambda: sign in text_of(driver, "#content"), f"the words for {state}")
            alarm = text_of(driver, ".banner.bad[role=alert]")
            assert bool(alarm) == (state != "ample") and (not alarm or "tintypectl library gc" in alarm), f"told with {state} room: {alarm}"
            context.shot(f"state-disk-{state}", driver)


def lost_bytes(context):
    """The Health page says when files are lost or damaged; purged ones in quarantine are no reason to worry."""
    for missing in (0, 2):
        with library(context, 6, missing=missing) as (driver, made):
            driver.get(f"{driver.current_url}?view=health")
            until(lambda: "files in quarantine" in text_of(driver, "#content"), "the numbers")
            alarm = text_of(driver, "#content .banner")
            assert bool(alarm) == (missing > 0) and (not alarm or "2 files lost or damaged" in alarm), f"told with {missing} missing: {alarm}"


ALL = [disk, lost_bytes, strips_are_sharp, future_date, empty, limited, loading, arriving, damaged, damaged_moment, refused, conflict, raw_pair, incomplete_live_photo, overtaken, stepping, million, year_marks,
       scrubber_values, scrubber_button, scrubber_released]
