"""Keys: one that is held down, those of the selection's toolbar, and where the focus goes when a notice is dismissed."""

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import click, gone, until, wait
from hands import focus, hover, photos, press, text_of, tile, tile_ids
from pick import open_session
from states import library

FOCUSED = "return document.activeElement.dataset.id"
# A key that is held down; gives whether the browser would still act on it.
HELD = """return document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {
    key: arguments[0], repeat: true, bubbles: true, cancelable: true }))"""


def held_keys(context):
    """Space, X or Enter held down on a photo acts once: it neither selects and deselects in turn nor scrolls the photos; Enter presses a button once."""
    driver, made = context.driver, context.library
    with library(context, 40, months=1) as (other, _):
        photos(other)
        first, second = tile_ids(other)[:2]
        for key, asset, count in ((" ", first, "1 photo"), ("x", second, "2 photos")):
            focus(other, f'.tile[data-id="{asset}"]')
            press(other, key)
            until(lambda: f"{count} selected" in text_of(other, ".selection-bar"), f"{count} selected")
            assert not other.execute_script(HELD, key), f"the browser acts on “{key}” held down"
            assert other.execute_script("return document.activeElement.matches('.chosen')"), f"“{key}” held down deselects"
    for style in ("", "?style=compact"):
        session = open_session(context, style, selectionLimit=3)
        focus(driver, ".tile")
        press(driver, Keys.ENTER)
        until(lambda: "1 of 3" in text_of(driver, "#badge"), "one chosen")
        for key in ("Enter", " "):
            assert not driver.execute_script(HELD, key), f"the browser acts on “{key}” held down"
            assert "1 of 3" in text_of(driver, "#badge"), f"“{key}” held down gives the photo back"
        focus(driver, "#choice button.button")
        assert not driver.execute_script(HELD, "Enter"), "Enter held down presses “Hand over” again"
        # Only a few may be open at once.
        assert made.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


STOPS = """return [...document.querySelectorAll('.selection-bar button')].filter((one) => one.tabIndex === 0)
    .map((one) => one.getAttribute('aria-label') ?? one.textContent)"""
NAME = "const { activeElement: one } = document; return one.closest('.selection-bar') && (one.getAttribute('aria-label') ?? one.textContent)"


def toolbar_keys(context):
    """What can be done with the selection is one tab stop: arrows, Home and End move within it, and it stays where it was when the selection changes."""
    with library(context, 40, months=1) as (driver, _):
        photos(driver)
        assert driver.execute_script("return document.querySelector('[role=grid]').ariaRowCount") == "-1", "a few rows are told to be all"
        first, second = tile_ids(driver)[:2]
        stops = lambda: driver.execute_script(STOPS)
        focused = lambda: driver.execute_script(NAME)
        focus(driver, f'.tile[data-id="{first}"]')
        press(driver, "x")
        until(lambda: stops() == ["Clear selection"], "one tab stop")
        focus(driver, ".selection-bar button")
        for key, name in ((Keys.ARROW_RIGHT, "Favourite"), (Keys.END, "Trash"), (Keys.ARROW_RIGHT, "Clear selection"), (Keys.ARROW_LEFT, "Trash"),
                          (Keys.HOME, "Clear selection"), (Keys.ARROW_RIGHT, "Favourite"), (Keys.ARROW_RIGHT, "Album")):
            press(driver, key)
            until(lambda: focused() == name and stops() == [name], f"the focus on {name}")
        # The headings have a tab stop each.
        for _ in range(10):
            press(driver, Keys.TAB)
            assert focused() is None, f"{focused()} is another tab stop"
            if driver.execute_script(FOCUSED) == first:
                break
        else:
            raise AssertionError("Tab does not reach the photos")
        press(driver, Keys.ARROW_RIGHT)
        until(lambda: driver.execute_script(FOCUSED) == second, "the next photo")
        press(driver, "x")
        until(lambda: "2 photos selected" in text_of(driver, ".selection-bar") and stops() == ["Album"], "the same tab stop among the buttons for two")
        for _ in range(10):
            ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
            if focused():
                break
        assert focused() == "Album", focused()
        # The bar goes with the selection, and hands the focus to the photo that had it before.
        for key in (Keys.ESCAPE, Keys.ENTER):
            press(driver, key)
            until(lambda: driver.execute_script(FOCUSED) == second, "the focus on the photo")
            gone(driver, ".selection-bar:not([hidden])")
            press(driver, "x")
            wait(driver, ".selection-bar")
            focus(driver, ".selection-bar button")


def dismissed_notice(context):
    """A notice that is dismissed, undone or makes room gives the focus back to what had it before, and to the view if that is gone or hidden."""
    with library(context, 40, months=1) as (driver, _):
        photos(driver)
        asset = tile_ids(driver)[3]

        def selected():
            focus(driver, f'.tile[data-id="{asset}"]')
            press(driver, "x")
            wait(driver, ".selection-bar")

        def told():
            click(driver, ".selection-bar button", "Favourite")
            # It stays while the pointer is over it.
            hover(driver, "#notices .notice")
            focus(driver, f'.tile[data-id="{asset}"]')

        selected()
        for name in ("Dismiss", "Undo"):
            told()
            press_notice(driver, name)
            assert driver.execute_script(FOCUSED) == asset, f"“{name}” loses the focus"
        told()
        focus(driver, "#notices [aria-label=Dismiss]")
        for _ in range(3):
            driver.execute_script("[...document.querySelectorAll('.selection-bar button')].find((one) => one.textContent === 'Favourite').click()")
        until(lambda: driver.execute_script(FOCUSED) == asset, "the focus back from the first of four notices")
        driver.execute_script("document.querySelectorAll('#notices [aria-label=Dismiss]').forEach((one) => one.click())")
        told()
        focus(driver, ".selection-bar button")
        focus(driver, "#notices [aria-label=Dismiss]")
        press(driver, Keys.ESCAPE)
        gone(driver, ".selection-bar:not([hidden])")
        press_notice(driver, "Dismiss")
        assert driver.execute_script("return document.activeElement.id") == "content", "the focus is lost with the selection"
        selected()
        told()
        focus(driver, "#notices [aria-label=Dismiss]")
        driver.execute_script("arguments[0].remove()", tile(driver, asset))
        press_notice(driver, "Dismiss")
        assert driver.execute_script("return document.activeElement.id") == "content", "the focus is lost with the photo"


def press_notice(driver, name):
    """Presses a button of the only notice by keyboard."""
    script = """const named = [...document.querySelectorAll('#notices button')]
        .find((one) => (one.getAttribute('aria-label') ?? one.textContent) === arguments[0]); named?.focus(); return Boolean(named)"""
    assert driver.execute_script(script, name), f"no “{name}”"
    press(driver, Keys.ENTER)
    gone(driver, "#notices .notice")


def skipped_keys(context):
    """Page Down, Page Up, End and Home scroll the photos after the link that skips to them, which is where lost focus goes too."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        top = lambda: driver.execute_script("return document.querySelector('.scroller').scrollTop")
        newest = tile_ids(driver)[0]
        focus(driver, ".skip")
        press(driver, Keys.ENTER)
        until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus on the photos")
        press(driver, Keys.PAGE_DOWN)
        until(lambda: top() > 300, "a page further down")
        press(driver, Keys.PAGE_UP)
        until(lambda: top() == 0, "the start again")
        press(driver, Keys.END)
        until(lambda: newest not in tile_ids(driver), "the oldest month")
        press(driver, Keys.HOME)
        until(lambda: newest in tile_ids(driver) and top() == 0, "the newest month")


ALL = [held_keys, toolbar_keys, dismissed_notice, skipped_keys]
