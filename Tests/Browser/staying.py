"""What stays as it was while the page lays out again: the focus."""

from browser import gone, until
from hands import focus, text_of
from browse import FRAMES, scroll_to
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


ALL = [heading_focus, focus_out_of_view]
