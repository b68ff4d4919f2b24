"""Keys: one that is held down, those of the selection's toolbar, and where the focus goes when a notice is dismissed."""

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from browse import FRAMES, scroll_to
from browser import click, gone, until, wait
from hands import focus, hover, photos, press, scroll_through, text_of, tile, tile_ids
from pick import open_session
from states import library
from staying import HOLD

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
    """A notice that is dismissed, undone or makes room gives the focus back to what had it before, and to the view if that is gone, hidden or was nothing."""
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
        driver.execute_script("document.activeElement.blur()")
        press_notice(driver, "Dismiss")
        assert driver.execute_script("return document.activeElement.id") == "content", "the focus is lost where nothing had it"
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


# Gives whether the browser would still act on it.
WITH_ALT = "return document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', altKey: true, bubbles: true, cancelable: true }))"


def skipped_keys(context):
    """Page Down, Page Up, End and Home scroll the photos after the link that skips to them, which is where lost focus goes too."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        focus(driver, ".skip")
        press(driver, Keys.ENTER)
        until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus on the photos")
        assert driver.execute_script(WITH_ALT), "Home with Alt is taken from the browser"
        scroll_through(driver)


SEEN = "const box = document.activeElement.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight"
# The photo after those that are chosen.
FOLLOWING = """const all = [...document.querySelectorAll('.tile')];
    const last = all.findLastIndex((one) => one.matches('.chosen'));
    return last < 0 ? null : all[last + 1]?.dataset.id"""


def trash_focus(context):
    """Photos moved to the trash by Delete or in the toolbar hand the focus to the next one that stays, to the one before at the end, and to the view when
    none is left."""
    with library(context, 200, months=1) as (driver, made):
        photos(driver)
        ids = tile_ids(driver)
        focused = lambda: driver.execute_script(FOCUSED)
        for asset in ids[3:5]:
            focus(driver, f'.tile[data-id="{asset}"]')
            press(driver, "x")
        until(lambda: "2 photos selected" in text_of(driver, ".selection-bar"), "two selected")
        press(driver, Keys.DELETE)
        gone(driver, f'.tile[data-id="{ids[4]}"]')
        until(lambda: focused() == ids[5], "the focus on the photo after the two")
        assert driver.execute_script(SEEN), "the focus is out of view"
        focus(driver, f'.tile[data-id="{ids[2]}"]')
        press(driver, "x")
        wait(driver, ".selection-bar:not([hidden])")
        until(lambda: len(driver.execute_script(STOPS)) == 1, "one tab stop in the toolbar")
        focus(driver, ".selection-bar button")
        press(driver, Keys.END)
        until(lambda: driver.execute_script(NAME) == "Trash", "the focus on Trash")
        press(driver, Keys.ENTER)
        gone(driver, f'.tile[data-id="{ids[2]}"]')
        until(lambda: focused() == ids[5], "the focus on the photo after the one")
        # The second day in view, by its heading's button.
        day = driver.execute_script("const [, day] = document.querySelectorAll('.row.heading h3 .choose-all'); day.focus(); return day.dataset.section")
        press(driver, Keys.ENTER)
        following = until(lambda: driver.execute_script(FOLLOWING), "the day's photos, and the one after them")
        press(driver, Keys.DELETE)
        gone(driver, f"[data-section='{day}']")
        until(lambda: focused() == following, "the focus on the photo after the day")
        assert driver.execute_script(SEEN), "the focus is out of view"
        before, last = made.asset(198)["id"], made.asset(199)["id"]
        press(driver, Keys.END)
        until(lambda: focused() == last, "the focus on the oldest photo")
        photos(driver)
        wait(driver, f'.tile[data-id="{before}"]')
        press(driver, "x")
        wait(driver, ".selection-bar:not([hidden])")
        press(driver, Keys.DELETE)
        until(lambda: focused() == before, "the focus on the photo before")
        assert driver.execute_script(SEEN), "the focus is out of view"
    for is_by_toolbar in (False, True):
        with library(context, 2, months=1) as (driver, _):
            photos(driver)
            focus(driver, ".tile")
            ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
            until(lambda: "2 photos selected" in text_of(driver, ".selection-bar"), "both selected")
            until(lambda: len(driver.execute_script(STOPS)) == 1, "one tab stop in the toolbar")
            if is_by_toolbar:
                focus(driver, ".selection-bar button:has(.icon-trash)")
            press(driver, Keys.ENTER if is_by_toolbar else Keys.DELETE)
            gone(driver, ".tile")
            until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus on the view")


def trashed_beside_focus(context):
    """A photo that somebody else moves to the trash leaves the focus on its neighbour, which gets it back where it comes into view again."""
    # So many that the two oldest are of one day.
    with library(context, 2000, months=1) as (driver, made):
        photos(driver)
        focused = lambda: driver.execute_script(FOCUSED)
        kept, last = made.asset(1998)["id"], made.asset(1999)["id"]
        focus(driver, ".tile")
        press(driver, Keys.END)
        until(lambda: focused() == last, "the focus on the oldest photo")
        press(driver, Keys.ARROW_LEFT)
        until(lambda: focused() == kept, "the focus on the photo before it")
        scroll_to(driver, 0)
        made.times = made.times[:-1]
        made.told.put({"kind": "removed", "entity": {"asset": last}})
        until(lambda: "1,999 photos" in text_of(driver, ".title-line"), "one photo less")
        driver.execute_async_script(FRAMES)
        assert focused() in (None, kept), "another photo has the focus"
        scroll_to(driver, -1)
        until(lambda: focused() == kept, "the focus where it was")


IN_VIEW = """const [box, view] = [document.activeElement, document.querySelector('.scroller')].map((one) => one.getBoundingClientRect());
    return document.activeElement.matches('.tile') && box.bottom > view.top && box.top < view.bottom"""


def far_trash(context):
    """A photo moved to the trash in the toolbar after it was scrolled out of view hands the focus to a photo in view."""
    with library(context, 600, months=6) as (driver, _):
        photos(driver)
        focus(driver, ".tile")
        press(driver, "x")
        wait(driver, ".selection-bar:not([hidden])")
        until(lambda: len(driver.execute_script(STOPS)) == 1, "one tab stop in the toolbar")
        focus(driver, ".selection-bar button:has(.icon-trash)")
        scroll_to(driver, 3000)
        photos(driver)
        press(driver, Keys.ENTER)
        until(lambda: "moved to the trash" in text_of(driver, "#notices"), "the photo in the trash")
        until(lambda: driver.execute_script(IN_VIEW), "the focus on a photo in view")


# The photos of the first row that has three.
ROW = "return [...document.querySelectorAll('.row.tiles')].map((row) => [...row.children].map((one) => one.dataset.id)).find((ids) => ids.length > 2)"


def kept_stop(context):
    """A photo that somebody else moves to the trash while a heading has the focus leaves that and the tab stop among the photos where they are."""
    # So many that a row has several of one day.
    with library(context, 2000, months=1) as (driver, made):
        photos(driver)
        kept, gone_one = driver.execute_script(ROW)[:2]
        focus(driver, f'.tile[data-id="{kept}"]')
        focus(driver, ".row.heading .choose-all")
        # A new count would bring it back: this server keeps it.
        driver.execute_script(HOLD, "/v1/timeline")
        made.told.put({"kind": "removed", "entity": {"asset": gone_one}})
        gone(driver, f'.tile[data-id="{gone_one}"]')
        assert driver.execute_script("return document.activeElement.matches('.choose-all')"), "the focus is taken from the heading"
        assert driver.execute_script("return document.querySelector('.tile[tabindex=\"0\"]').dataset.id") == kept, "another photo is the tab stop"


ALL = [held_keys, toolbar_keys, dismissed_notice, skipped_keys, trash_focus, trashed_beside_focus, far_trash, kept_stop]
