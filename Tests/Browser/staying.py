"""What stays as it was: the focus when the page lays out again, a gallery that was left, and what is shown when old answers come late."""

import datetime

from selenium.webdriver.common.keys import Keys

from browse import FRAMES, scroll_to
from browser import gone, until, wait
from gestures import AWAY
from hands import await_viewer, click_tile, focus, go, photos, press, text_of, tile_ids, write
from states import library

FOCUSED = "const { dataset } = document.activeElement; return dataset.month ?? dataset.id ?? null"


def resize(driver, width):
    """Gives the window another width, and waits until the photos have it."""
    height = driver.execute_script("return innerHeight")
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    until(lambda: driver.execute_script("return innerWidth") == width, f"a window of {width} pixels")
    driver.execute_async_script(FRAMES)


def heading_focus(context):
    """The button beside a month's heading keeps the focus when the month is divided into days, and no old heading stays behind."""
    with library(context, 40, months=1, is_held=True) as (driver, made):
        button = ".row.heading [data-month]"
        until(lambda: driver.execute_script("return document.querySelectorAll(arguments[0]).length", button) == 1, "the month's heading")
        focus(driver, button)
        month = driver.execute_script(FOCUSED)
        made.go_on.set()
        until(lambda: text_of(driver, ".row.heading h3"), "the days")
        gone(driver, ".skeleton")
        driver.execute_async_script(FRAMES)
        headings = driver.execute_script("return document.querySelectorAll('.row.heading h2').length")
        assert month and headings == 1 and driver.execute_script(FOCUSED) == month, (month, headings, driver.execute_script(FOCUSED))


# Lists of photos are refused until `isBack` is set.
REFUSE = """
const ask = window.fetch;
window.fetch = (address, ...more) => (window.isBack || !address.startsWith('/v1/assets?') ? ask(address, ...more)
    : Promise.resolve({ ok: false, status: 500, json: async () => ({ detail: 'Not now.' }) }));
document.querySelector(`#places [data-view='albums']`).click();
"""


def again_focus(context):
    """“Try again” hands the focus to the heading of the photos that come."""
    with library(context, 40, months=1) as (driver, _):
        photos(driver)
        driver.execute_script(REFUSE)
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        driver.execute_script("document.querySelector(`#places [data-view='photos']`).click()")
        wait(driver, ".skeleton button")
        driver.execute_script("window.isBack = true")
        focus(driver, ".skeleton button")
        press(driver, Keys.ENTER)
        photos(driver)
        driver.execute_async_script(FRAMES)
        assert driver.execute_script("return document.activeElement.matches('.heading [data-month]')"), driver.execute_script("return document.activeElement.outerHTML")


def focus_out_of_view(context):
    """A photo that had the focus gets it back where it comes into view again, also after two new layouts, and never from something else."""
    with library(context, 200, months=1) as (driver, _):
        def leave():
            scroll_to(driver, 0)
            asset = driver.execute_script("return document.querySelector('.tile').dataset.id")
            focus(driver, ".tile")
            scroll_to(driver, -1)
            assert driver.execute_script(FOCUSED) == asset, "the focus is lost by scrolling"
            return asset

        asset = leave()
        for width in (1200, 1000):
            resize(driver, width)
        scroll_to(driver, 0)
        until(lambda: driver.execute_script(FOCUSED) == asset, "the focus to come back")
        leave()
        resize(driver, 1200)
        focus(driver, ".search input")
        scroll_to(driver, 0)
        driver.execute_async_script(FRAMES)
        assert driver.execute_script("return document.activeElement.matches('.search input')"), "the focus was taken from the search"


# What the page asks for, by method.
METHODS = "const ask = window.fetch; window.methods = []; window.fetch = (address, how) => { methods.push(how?.method); return ask(address, how); }"
HELD_DELETE = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', repeat: true, bubbles: true, cancelable: true }))"


def film_focus(context):
    """A photo that is moved to the trash in the strip hands the focus to the next one there, so that the keys go on; Delete held down moves no other."""
    with library(context, 40, months=1) as (driver, _):
        photos(driver)
        ids = tile_ids(driver)
        click_tile(driver, ids[3])
        wait(driver, f".film [data-id='{ids[5]}']")
        focus(driver, ".film [aria-current]")
        press(driver, Keys.DELETE)
        until(lambda: ids[4] in driver.current_url and driver.execute_script(FOCUSED) == ids[4], "the focus on the next photo")
        press(driver, Keys.ARROW_RIGHT)
        until(lambda: ids[5] in driver.current_url, "the photo after it")
        driver.execute_script(METHODS)
        driver.execute_script(HELD_DELETE)
        press(driver, "f")
        until(lambda: "PATCH" in driver.execute_script("return methods"), "what a key does that is pressed after it")
        assert "DELETE" not in driver.execute_script("return methods") and ids[5] in driver.current_url, "it was moved to the trash"


SELECTING = "return history.state?.isSelecting"


def skip_link(context):
    """“Skip to the photos” moves the focus and nothing else: what is selected stays, and there is no step of the history."""
    with library(context, 40, months=1) as (driver, _):
        photos(driver)
        for view in ("favorites", "photos"):
            driver.execute_script("document.querySelector(`#places [data-view='${arguments[0]}']`).click()", view)
        photos(driver)
        focus(driver, ".tile")
        press(driver, "x")
        until(lambda: driver.execute_script(SELECTING), "the selection's step")
        steps = driver.execute_script("return history.length")
        focus(driver, ".skip")
        press(driver, Keys.ENTER)
        until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus on the photos")
        driver.execute_async_script(FRAMES)
        assert driver.find_elements("css selector", ".tile.chosen") and driver.execute_script("return history.length") == steps, driver.current_url


def back_from_selection(context):
    """Back first clears a selection, Forward selects it again; a selection that is cleared or left otherwise takes no step of its own."""
    with library(context, 40, months=1) as (driver, _):
        visit = lambda view: driver.execute_script("document.querySelector(`#places [data-view='${arguments[0]}']`).click()", view)
        titled = lambda title: until(lambda: text_of(driver, "h1") == title, title)
        photos(driver)
        for view, title in (("favorites", "Favourites"), ("photos", "Photos")):
            visit(view)
            titled(title)
        photos(driver)

        def selected():
            focus(driver, ".tile")
            press(driver, "x")
            until(lambda: driver.execute_script(SELECTING), "the selection's step")

        selected()
        driver.back()
        gone(driver, ".tile.chosen")
        assert text_of(driver, "h1") == "Photos", "Back left the photos"
        driver.forward()
        wait(driver, ".tile.chosen")
        focus(driver, ".tile:not(.chosen)")
        press(driver, Keys.ENTER)
        wait(driver, "dialog.viewer[open]")
        driver.back()
        gone(driver, "dialog.viewer[open]")
        assert driver.find_elements("css selector", ".tile.chosen"), "the step that closes a photo clears the selection"
        press(driver, Keys.ESCAPE)
        gone(driver, ".tile.chosen")
        driver.back()
        titled("Favourites")
        driver.forward()
        titled("Photos")
        photos(driver)
        selected()
        driver.refresh()
        photos(driver)
        until(lambda: driver.execute_script("return history.state?.isSelecting === false"), "the step of the selection that the reload ended")
        driver.back()
        titled("Favourites")
        driver.forward()
        titled("Photos")
        photos(driver)
        selected()
        visit("albums")
        titled("Albums")
        driver.back()
        titled("Photos")
        photos(driver)
        driver.back()
        titled("Favourites")
        driver.forward()
        titled("Photos")
        driver.forward()
        titled("Albums")


# The first photo in view, and how far below the top of the view it begins.
PLACE = """
const top = document.querySelector('.scroller')?.getBoundingClientRect().top;
const boxes = [...document.querySelectorAll('.tile')].map((one) => [one.dataset.id, one.getBoundingClientRect()]);
return boxes.filter(([, box]) => box.bottom > top + 1).map(([id, box]) => [id, Math.round(box.top - top)])[0] ?? null;
"""


def left_gallery(context):
    """Back and Forward show a gallery where it was left, with what was changed meanwhile; its link in the navigation begins at the top."""
    with library(context, 600, months=6) as (driver, made):
        place = lambda: driver.execute_script(PLACE)
        click_place = lambda view: driver.execute_script("document.querySelector(`#places [data-view='${arguments[0]}']`).click()", view)
        scroll_to(driver, 3000)
        before = place()
        click_place("albums")
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        made.favorites.add(int(before[0][:8], 16))
        driver.back()
        until(lambda: place() == before, f"the gallery where it was left: {before}")
        until(lambda: driver.find_elements("css selector", f".tile.loaded[data-id='{before[0]}'] .icon-heart"), "the photo as it is now")
        photos(driver)
        driver.execute_async_script(FRAMES)
        assert place() == before, (place(), before)
        driver.forward()
        until(lambda: text_of(driver, "h1") == "Albums", "the albums again")
        driver.back()
        until(lambda: place() == before, "the gallery where it was left by Forward")
        click_place("photos")
        until(lambda: driver.execute_script("return document.querySelector('.scroller').scrollTop") == 0 and place(), "the newest photos")
        driver.back()
        until(lambda: place() == before, "the visit before, of the same address")


# The day over a photo.
DAY = """
const rows = [...document.querySelectorAll('.row')];
const row = document.querySelector(`.tile[data-id="${arguments[0]}"]`)?.closest('.row');
return rows.slice(0, rows.indexOf(row)).findLast((one) => one.querySelector('h3'))?.textContent ?? '';
"""


def left_days(context):
    """A photo that was moved to a day of its own while its gallery was left stands there when Back shows the gallery."""
    with library(context, 1, months=1) as (driver, made):
        noon = lambda day: datetime.datetime(2024, 5, day, 12, tzinfo=datetime.timezone.utc).timestamp()
        made.times = [noon(day) for day in (30, *range(28, 0, -1))]
        driver.refresh()
        photos(driver)
        moved = made.asset(1)["id"]
        scroll_to(driver, 100)
        assert "28" in driver.execute_script(DAY, moved), driver.execute_script(DAY, moved)
        driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        made.times[1] = noon(29)
        driver.back()
        until(lambda: "29" in driver.execute_script(DAY, moved), "the photo under its new day")


def replaced_places(context):
    """A search that is changed while it is typed is one step of the history: it begins at the top each time, and the photos before it are kept where they
    were left."""
    with library(context, 600, months=6) as (driver, _):
        place = lambda: driver.execute_script(PLACE)
        photos(driver)
        scroll_to(driver, 3000)
        before = place()
        for end in range(1, 6):
            write(driver, ".search input", "stork"[end - 1])
            until(lambda: driver.current_url.endswith(f"text={'stork'[:end]}"), "the search")
            photos(driver)
            assert driver.execute_script("return document.querySelector('.scroller').scrollTop") == 0, "a new search does not begin at the top"
            scroll_to(driver, 1000)
        driver.back()
        until(lambda: place() == before, f"the gallery where it was left: {before}")


# The first answer from an address comes once `goOn` is called; the page has acted on it when `isTold` is set.
HOLD = """
const ask = window.fetch, place = arguments[0];
let isFirst = true;
window.fetch = async (address, ...more) => {
    if (!isFirst || !address.startsWith(place)) return ask(address, ...more);
    isFirst = false;
    const body = await (await ask(address, ...more)).json();
    await new Promise((resolve) => { window.goOn = resolve; });
    setTimeout(() => { window.isTold = true; });
    return { ok: true, status: 200, json: async () => body };
};
"""


def release(driver):
    driver.execute_script("goOn()")
    until(lambda: driver.execute_script("return window.isTold"), "the page to have the answer")


def late_photo(context):
    """A photo that comes after its gallery was left does not open over the next view."""
    with library(context, 40, months=1) as (driver, made):
        photos(driver)
        await_viewer(driver)
        driver.execute_script(HOLD, "/v1/assets/")
        driver.execute_script("history.pushState(null, '', `?asset=${arguments[0]}`); dispatchEvent(new PopStateEvent('popstate'))", made.asset(3)["id"])
        until(lambda: driver.execute_script("return Boolean(window.goOn)"), "the photo to be asked for")
        driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        release(driver)
        driver.execute_async_script(FRAMES)
        assert not driver.find_elements("css selector", "dialog.viewer") and "asset=" not in driver.current_url, driver.current_url


def late_neighbour(context):
    """A photo that was moved to the trash and closed stays closed when its neighbour comes."""
    with library(context, 3000, months=1, is_held=True) as (driver, made):
        driver.get(f"{driver.current_url}?asset={made.asset(1)['id']}")
        wait(driver, "dialog.viewer[open]")
        press(driver, Keys.DELETE)
        until(lambda: "moved to the trash" in text_of(driver, "#notices"), "the photo in the trash")
        press(driver, Keys.ESCAPE)
        gone(driver, "dialog.viewer")
        made.go_on.set()
        photos(driver)
        driver.execute_async_script(FRAMES)
        assert not driver.find_elements("css selector", "dialog.viewer") and "asset=" not in driver.current_url, driver.current_url


def late_count(context):
    """An old answer that comes after a newer one does not bring back the photos of before."""
    with library(context, 40, months=1) as (driver, made):
        photos(driver)
        driver.execute_script(HOLD, "/v1/timeline")
        stranger = {**made.asset(0), "id": f"{99:08x}-0000-7000-8000-000000000000"}
        made.told.put(stranger)
        until(lambda: driver.execute_script("return Boolean(window.goOn)"), "the months to be asked for")
        made.times = made.times[:-1]
        made.told.put(stranger)
        until(lambda: text_of(driver, ".title-line .quiet") == "39 photos", "the count of now")
        # A month in view is counted again soon.
        driver.execute_script("""
            const size = document.querySelector('.title-line .quiet');
            window.seen = [];
            new MutationObserver(() => seen.push(size.textContent)).observe(size, { childList: true });
        """)
        release(driver)
        seen = driver.execute_script("return seen")
        assert not seen, seen


def late_days(context):
    """An old count of a camera's days that comes after a newer one does not replace it."""
    with library(context, 1, months=1) as (driver, made):
        made.times = [datetime.datetime(2024, 5, day, 12, tzinfo=datetime.timezone.utc).timestamp() for day in range(28, 0, -1)]
        # Another load would leave its stream behind, which would take what is told.
        driver.execute_script("history.pushState({}, '', '/?device=0000000000000000000000000000'); dispatchEvent(new Event('place'))")
        heading = lambda: text_of(driver, ".title-line")
        until(lambda: "on 28 days" in heading(), "the days")
        driver.execute_script(HOLD, "/v1/timeline?unit=day")
        stranger = {**made.asset(0), "id": f"{99:08x}-0000-7000-8000-000000000000"}
        made.told.put(stranger)
        until(lambda: driver.execute_script("return Boolean(window.goOn)"), "the days to be asked for")
        made.times = made.times[:-1]
        made.told.put(stranger)
        until(lambda: "on 27 days" in heading(), "the days of now")
        release(driver)
        assert "on 27 days" in heading(), heading()


def failed_again(context):
    """A view that could not be loaded when Back led to it is shown where it was left once it can be."""
    driver, made = context.driver, context.library
    place = lambda: driver.execute_script(PLACE)
    go(context, f"?view=select&id={made.assets()[0]['deviceID']}")
    photos(driver)
    scroll_to(driver, 600)
    before = place()
    driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
    until(lambda: text_of(driver, "h1") == "Albums", "the albums")
    driver.execute_script(AWAY)
    driver.back()
    until(lambda: "cannot be reached" in text_of(driver, "#content"), "what is wrong")
    driver.execute_script("window.isAway = false")
    until(lambda: place() == before, f"the photos where they were left: {before}")


# Asks for what the page asks for every few seconds.
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"


def tell(driver, change):
    """The page that is open is told something else by the server from now on: `change` edits each `body`."""
    driver.execute_script("""
        const parse = Response.prototype.json;
        Response.prototype.json = async function () {
            const body = await parse.call(this);
            %s
            return body;
        };""" % change)


# Somebody asks for access while `isAsked` is set.
ASKED = """if (this.url.endsWith('/admin/requests') && window.isAsked) {
    const openedAt = (window.askedAt ??= new Date().toISOString());
    body.requests = [{ deviceID: 'barn', deviceName: 'barn', keyFingerprint: 'abcd', level: 'addOnly', usage: 'Owls.', openedAt }];
}"""


def answered_focus(context):
    """After an answer in the inbox the focus is at its top: not lost, and on no other answer."""
    with library(context, 6) as (driver, _):
        photos(driver)
        tell(driver, ASKED)
        driver.execute_script("window.isAsked = true; document.querySelector(`#places [data-view='inbox']`).click()")
        answer = ".answer[data-answer='add-only']"
        wait(driver, answer)
        focus(driver, answer)
        # This library refuses it.
        press(driver, Keys.ENTER)
        wait(driver, "#notices .problem")
        until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus at the top of the inbox")
        wait(driver, answer)
        assert driver.execute_script("return document.activeElement.id") == "content", "the focus went on"


def late_requests(context):
    """An old answer that comes after a newer one does not bring back a request that was answered; the age of one goes on while it is shown."""
    with library(context, 6) as (driver, _):
        content = lambda: text_of(driver, "#content")
        photos(driver)
        tell(driver, ASKED)
        driver.execute_script(f"window.isAsked = true; {LOOK}")
        until(lambda: text_of(driver, "#places .count").startswith("1"), "the number of requests")
        driver.execute_script(HOLD, "/v1/admin/requests")
        driver.execute_script("document.querySelector(`#places [data-view='inbox']`).click()")
        until(lambda: driver.execute_script("return Boolean(window.goOn)"), "the requests to be asked for")
        driver.execute_script(f"window.isAsked = false; {LOOK}")
        until(lambda: "No open requests" in content(), "that there are none now")
        release(driver)
        assert "No open requests" in content() and "barn" not in content(), content()
        driver.execute_script(f"window.isAsked = true; {LOOK}")
        until(lambda: "barn" in content(), "another request")
        driver.execute_script(f"const now = Date.now; Date.now = () => now() + 2 * 3_600_000; {LOOK}")
        until(lambda: "asked 2 hours ago" in content(), "how old it is by now")


def late_albums(context):
    """An old list of albums that comes after a newer one does not bring back an album that was deleted."""
    with library(context, 6) as (driver, made):
        photos(driver)
        # The filter's list, which the page asks for by itself.
        loaded = "return performance.getEntriesByType('resource').some((one) => one.name.includes('/v1/albums?'))"
        until(lambda: driver.execute_script(loaded), "the first list")
        tell(driver, "if (this.url.includes('/v1/albums?') && window.isThere) body.albums = [{ album: { id: 'owls', title: 'Owls' }, assetCount: 3 }];")
        driver.execute_script("window.isThere = true")
        driver.execute_script(HOLD, "/v1/albums?")
        driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
        until(lambda: driver.execute_script("return Boolean(window.goOn)"), "the albums to be asked for")
        driver.execute_script("window.isThere = false")
        made.told.put({"kind": "removed", "entity": {"album": "owls"}})
        until(lambda: "No albums yet" in text_of(driver, "#content"), "that there are none now")
        release(driver)
        assert "No albums yet" in text_of(driver, "#content"), text_of(driver, "#content")


ALL = [heading_focus, again_focus, focus_out_of_view, film_focus, skip_link, back_from_selection, left_gallery, left_days, replaced_places, late_photo, late_neighbour, late_count,
       late_days, failed_again, answered_focus, late_requests, late_albums]
