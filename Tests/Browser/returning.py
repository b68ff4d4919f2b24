"""Which visits are shown where they were left when Back leads to them: after others were cut off, and after the page loaded itself again."""

from browse import FRAMES, scroll_to
from browser import click, until
from gestures import network
from hands import photos, text_of
from states import library
from staying import PLACE


def cut_off_places(context):
    """Visits that no step leads back to, because another one followed the visit before them, take no room from those that are kept where they were left."""
    with library(context, 600, months=6) as (driver, _):
        place = lambda: driver.execute_script(PLACE)
        titled = lambda title: until(lambda: text_of(driver, "h1") == title, title)

        def visit(view, title):
            driver.execute_script("document.querySelector(`#places [data-view='${arguments[0]}']`).click()", view)
            titled(title)
            photos(driver)
            scroll_to(driver, 1000)

        photos(driver)
        scroll_to(driver, 3000)
        before = place()
        for view, title in (("favorites", "Favourites"), ("trash", "Trash"), ("photos", "Photos")):
            visit(view, title)
        for title in ("Trash", "Favourites"):
            driver.back()
            titled(title)
            until(lambda: driver.execute_script("return document.querySelector('.scroller').scrollTop") > 500, "the photos where they were left")
        for view, title in (("trash", "Trash"), ("photos", "Photos")):
            visit(view, title)
        for title in ("Trash", "Favourites", "Photos"):
            driver.back()
            titled(title)
        until(lambda: place() == before, f"the first photos where they were left: {before}")


def reloaded_places(context):
    """A page that loads itself again, because a view's script could not be loaded, shows galleries where they were left; it stays while the server is away."""
    with library(context, 600, months=6) as (driver, _):
        is_same_page = lambda: driver.execute_script("return Boolean(window.isTheSamePage)")
        photos(driver)
        scroll_to(driver, 3000)
        before, offset = driver.execute_script(PLACE)

        def is_back():
            # What is above has estimated heights at first: each that is corrected costs a fraction of a pixel.
            now = driver.execute_script(PLACE)
            return now and now[0] == before and abs(now[1] - offset) < 5

        driver.execute_script("window.isTheSamePage = true")
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


ALL = [cut_off_places, reloaded_places]
