"""What is pressed before the scripts for it have come, as on a slow line."""

from selenium.webdriver.common.keys import Keys

from browse import FRAMES
from browser import gone, until, wait
from by_keys import FOCUSED
from hands import await_viewer, click_tile, focus, leave_viewer, photos, press, text_of, tile_ids
from states import library


def early_acts(context):
    """What is pressed before the edits have come is done with what was selected then; the focus stays where it was moved to meanwhile."""
    with library(context, 40, months=1, late=["edits.js"]) as (driver, made):
        photos(driver)
        ids = tile_ids(driver)
        focus(driver, f'.tile[data-id="{ids[0]}"]')
        press(driver, "x")
        wait(driver, ".selection-bar")
        press(driver, Keys.DELETE)
        focus(driver, f'.tile[data-id="{ids[5]}"]')
        press(driver, "x")
        until(lambda: "2 photos selected" in text_of(driver, ".selection-bar"), "two selected")
        made.come.set()
        gone(driver, f'.tile[data-id="{ids[0]}"]')
        until(lambda: "1 photo moved to the trash" in text_of(driver, "#notices"), "what was done")
        assert driver.execute_script(FOCUSED) == ids[5], "the focus is taken from another photo"
        driver.execute_async_script(FRAMES)
        assert "1 photo selected" in text_of(driver, ".selection-bar"), "what was selected meanwhile is given up"


def early_photo(context):
    """A photo that is pressed before the viewer has come opens once, and not over another view, or after a step of the history left it."""
    is_open = lambda driver: driver.find_elements("css selector", "dialog.viewer")

    def come(driver, made):
        made.come.set()
        await_viewer(driver)
        driver.execute_async_script(FRAMES)

    with library(context, 40, months=1, late=["viewer.js"]) as (driver, made):
        photos(driver)
        # Chromium answers imports of one module in any order.
        pressed = tile_ids(driver)[:10]
        last = pressed[-1]
        for asset in (*pressed, last):
            click_tile(driver, asset)
        come(driver, made)
        assert len(is_open(driver)) == 1 and last in driver.current_url, driver.current_url
        leave_viewer(driver)
        until(lambda: "asset=" not in driver.current_url, "the address of the photos")
    with library(context, 40, months=1, late=["viewer.js"]) as (driver, made):
        photos(driver)
        click_tile(driver, tile_ids(driver)[0])
        driver.execute_script("document.querySelector(`#places [data-view='albums']`).click()")
        until(lambda: text_of(driver, "h1") == "Albums", "the albums")
        come(driver, made)
        assert not is_open(driver) and "asset=" not in driver.current_url, driver.current_url
    with library(context, 40, months=1, late=["viewer.js"]) as (driver, made):
        photos(driver)
        asked = "return performance.getEntriesByType('resource').some((one) => one.name.endsWith(arguments[0]))"
        asset = made.asset(3)["id"]
        driver.execute_script("history.pushState(null, '', `?asset=${arguments[0]}`); dispatchEvent(new PopStateEvent('popstate'))", asset)
        until(lambda: driver.execute_script(asked, f"/v1/assets/{asset}"), "the photo to come")
        driver.execute_async_script(FRAMES)
        driver.back()
        until(lambda: "asset=" not in driver.current_url, "the photos again")
        come(driver, made)
        assert not is_open(driver) and "asset=" not in driver.current_url, driver.current_url


ALL = [early_acts, early_photo]
