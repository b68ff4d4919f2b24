"""What people may meet in a library, each in a library that is made for it: nothing, little, late, damaged, refused."""

import contextlib

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import generated_library
from browser import named, until, wait
from hands import TILE, click_tile, open_first, photos, press, text_of, tile_ids


@contextlib.contextmanager
def library(context, count, **moods):
    """A browser at a generated library; gives both."""
    server = generated_library.serve(count, **moods)
    try:
        with context.another_browser() as driver:
            driver.get(f"http://127.0.0.1:{server.server_address[1]}/")
            wait(driver, "h1")
            yield driver, server.RequestHandlerClass.library
    finally:
        server.shutdown()


def empty(context):
    """An empty library says how photos come into it."""
    with library(context, 0) as (driver, _):
        until(lambda: "No photos yet" in text_of(driver, "#content"), "the empty library")
        assert "tintypectl enrollment-token create" in text_of(driver, "#content")
        context.shot("state-empty", driver)


def limited(context):
    """A limited view says that it is one."""
    with library(context, 9, access="limited") as (driver, _):
        until(lambda: "You see a selection of this library" in text_of(driver, ".banner"), "the banner")
        photos(driver)
        context.shot("state-limited", driver)
    with library(context, 0, access="limited") as (driver, _):
        until(lambda: "Nothing was selected for you yet" in text_of(driver, "#content"), "the empty selection")


def loading(context):
    """While photos are on their way their places are there, and a screen reader is told."""
    with library(context, 40, delay=2) as (driver, _):
        wait(driver, ".skeleton")
        assert "Loading" in driver.execute_script("return document.querySelector('.skeleton').textContent")
        context.shot("state-loading", driver)
        photos(driver)


def arriving(context):
    """A photo whose thumbnail is still being made says so, and shows itself without a reload."""
    with library(context, 6, arriving=[0]) as (driver, _):
        wait(driver, ".tile.arriving")
        context.shot("state-arriving", driver)
        until(lambda: not driver.find_elements(By.CSS_SELECTOR, f"{TILE}:not(.loaded)"), "the late thumbnail")


def damaged(context):
    """A damaged file says so in the grid and in the viewer, with its reason, and its neighbours are well."""
    with library(context, 6, damaged=[1]) as (driver, made):
        broken = wait(driver, ".tile.broken")
        assert "ends in the middle" in broken.get_attribute("title")
        until(lambda: len(driver.find_elements(By.CSS_SELECTOR, f"{TILE}:not(.loaded)")) == 1, "the others")
        context.shot("state-damaged", driver)


def refused(context):
    """A refused edit is told with its reason and what to do; the page shows what is true."""
    with library(context, 6, refuses="This operator may look and not change.") as (driver, _):
        photos(driver)
        open_first(driver)
        press(driver, "f")
        until(lambda: "may look and not change" in text_of(driver, "#notices"), "the reason")
        assert "when an administrator has decided" in text_of(driver, "#notices")
        assert driver.find_element(By.CSS_SELECTOR, '[aria-label="Favourite"]').get_attribute("aria-pressed") == "false"
        context.shot("state-refused", driver)


def conflict(context):
    """A title that lost against another is seen, and put back; that can be taken back too."""
    with library(context, 6, loses=0) as (driver, made):
        photos(driver)
        open_first(driver)
        press(driver, "i")
        until(lambda: "What the other one wrote" in text_of(driver, ".superseded"), "the value that lost")
        context.shot("conflict", driver)
        named(driver, "button", "Use this title instead").click()
        until(lambda: made.titles.get(0) == "What the other one wrote", "the title to be put back")
        until(lambda: driver.execute_script("return document.querySelector('.panel input').value") == "What the other one wrote", "the title on the page")
        until(lambda: not driver.find_elements(By.CSS_SELECTOR, ".superseded li"), "nothing left to put back")
        named(driver, "button", "Undo").click()
        until(lambda: made.titles.get(0) == "", "the title that was there before")


def stepping(context):
    """Arrows go from month to month over photos that were not loaded, and back."""
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


ALL = [empty, limited, loading, arriving, damaged, refused, conflict, stepping]
