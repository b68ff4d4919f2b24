"""Which visits are shown where they were left when Back leads to them: after others were cut off, and after the page loaded itself again."""

from browse import FRAMES, scroll_to
from browser import click, until, wait
from gestures import network
from hands import focus, photos, press, text_of
from states import library
from staying import PLACE


TOP = "return document.querySelector('.scroller').scrollTop"


def titled(driver, title):
    until(lambda: text_of(driver, "h1") == title, title)


def visit(driver, view, title):
    driver.execute_script("document.querySelector(`#places [data-view='${arguments[0]}']`).click()", view)
    titled(driver, title)
    photos(driver)
    scroll_to(driver, 1000)


def back(driver, *titles):
    for title in titles:
        driver.back()
        titled(driver, title)
        until(lambda: driver.execute_script(TOP) > 500, "the photos where they were left")


def cut_off_places(context):
    """Visits that no step leads back to, because another one followed the visit before them, take no room from those that are kept where they were left."""
    with library(context, 600, months=6) as (driver, _):
        place = lambda: driver.execute_script(PLACE)
        photos(driver)
        scroll_to(driver, 3000)
        before = place()
        for view, title in (("favorites", "Favourites"), ("trash", "Trash"), ("photos", "Photos")):
            visit(driver, view, title)
        back(driver, "Trash", "Favourites")
        for view, title in (("trash", "Trash"), ("photos", "Photos")):
            visit(driver, view, title)
        back(driver, "Trash", "Favourites", "Photos")
        until(lambda: place() == before, f"the first photos where they were left: {before}")


def turned_back_clock(context):
    """Galleries are shown where they were left although the clock was turned back meanwhile."""
    with library(context, 600, months=6) as (driver, _):
        photos(driver)
        visit(driver, "favorites", "Favourites")
        driver.execute_script("Date.now = () => 1")
        visit(driver, "trash", "Trash")
        visit(driver, "photos", "Photos")
        back(driver, "Trash", "Favourites")


# How far below the top of the view a photo begins.
OFFSET = """
const [photo, view] = [`.tile[data-id="${arguments[0]}"]`, '.scroller'].map((one) => document.querySelector(one)?.getBoundingClientRect());
return photo && view ? photo.top - view.top : null;
"""

# Keeps a copy of what the page keeps.
COPY = """
window.isTheSamePage = true;
const set = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, text) {
    set.call(this, key, text);
    set.call(this, 'copy', text);
};
"""


def reloaded_places(context):
    """A page that loads itself again, because a view's script could not be loaded, shows galleries where they were left; it stays while the server is away.
    A visit that began otherwise begins at the top."""
    with library(context, 600, months=6) as (driver, _):
        is_same_page = lambda: driver.execute_script("return Boolean(window.isTheSamePage)")
        photos(driver)
        scroll_to(driver, 3000)
        before, offset = driver.execute_script(PLACE)

        def is_back():
            # What is above has estimated heights at first: each that is corrected costs a fraction of a pixel, by which
            # another photo can be the first in view.
            now = driver.execute_script(OFFSET, before)
            return now is not None and abs(now - offset) < 5

        driver.execute_script(COPY)
        network(driver, True)
        driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
        until(lambda: "cannot be reached" in text_of(driver, "#content"), "what is wrong")
        click(driver, "#content button", "Try again")
        until(lambda: "cannot be reached" in text_of(driver, "#notices"), "that it is still so")
        assert is_same_page(), "the page was given up while the server is away"
        network(driver, False)
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        assert not is_same_page(), "the page did not load again"
        driver.back()
        until(is_back, f"the photos where they were left: {before}")
        photos(driver)
        driver.execute_async_script(FRAMES)
        assert is_back(), (driver.execute_script(PLACE), before, offset)
        assert driver.execute_script("return sessionStorage['kept-places'] = sessionStorage.copy"), "nothing was kept"
        driver.get(f"{driver.current_url}?view=favorites")
        titled(driver, "Favourites")
        photos(driver)
        driver.execute_async_script(FRAMES)
        assert driver.execute_script(TOP) == 0, "another visit begins where the one before was left"
        assert driver.execute_script("return sessionStorage.getItem('kept-places')") is None, "what was kept stays"


def kept_by_nobody(context):
    """In a browser that keeps nothing for a page, it shows its photos all the same, and loads itself again."""
    with library(context, 40, months=1) as (driver, _):
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('Nothing is kept.', 'SecurityError'); } })"""})
        driver.refresh()
        photos(driver)
        driver.execute_script("window.isTheSamePage = true")
        network(driver, True)
        driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
        until(lambda: "cannot be reached" in text_of(driver, "#content"), "what is wrong")
        network(driver, False)
        titled(driver, "Albums")
        assert not driver.execute_script("return Boolean(window.isTheSamePage)"), "the page did not load again"


# No album can be had, and nobody knows whether the server is back before `held` are called.
HELD = """
const ask = window.fetch;
window.held = [];
window.fetch = (address, ...more) => (address === '/healthz' ? new Promise((resolve) => { held.push(resolve); })
    : address.startsWith('/v1/albums') ? Promise.reject(new TypeError()) : ask(address, ...more));
history.pushState({}, '', '/?view=album&id=owls');
dispatchEvent(new Event('place'));
"""


def tried_late(context):
    """“Try again” leaves a view alone that was gone to before the server told that it is back."""
    with library(context, 40, months=1) as (driver, _):
        photos(driver)
        driver.execute_script(HELD)
        until(lambda: "cannot be reached" in text_of(driver, "#content"), "what is wrong")
        click(driver, "#content button", "Try again")
        assert driver.execute_script("return held.length") > 0, "the server is not asked for"
        driver.execute_script("document.querySelector(`#places [data-view='photos']`).click()")
        photos(driver)
        focus(driver, ".tile")
        press(driver, "x")
        wait(driver, ".tile.chosen")
        driver.execute_script("held.forEach((goOn) => goOn({ ok: true }))")
        driver.execute_async_script(FRAMES)
        assert driver.find_elements("css selector", ".tile.chosen"), "the view was shown anew"


ALL = [cut_off_places, turned_back_clock, reloaded_places, kept_by_nobody, tried_late]
