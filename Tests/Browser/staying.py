"""What stays as it was: the focus when the page lays out again, and the place in a gallery that was left."""

from browse import FRAMES, scroll_to
from browser import gone, until
from hands import focus, photos, text_of
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


ALL = [heading_focus, focus_out_of_view, left_gallery]
