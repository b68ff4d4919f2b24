"""What comes back by itself after the server could not be reached."""

from selenium.webdriver.common.keys import Keys

from browser import click, gone, until, wait
from hands import focus, photos, press, prepared, text_of, tile_ids
from states import library

# While `isAway`, no picture comes, and requests whose address matches are not answered; `refused` counts them. Pauses between attempts
# are short. With `comesBack`, the server is back between a picture that failed and the question why.
AWAY = """
    const real = window.fetch, later = window.setTimeout, write = Element.prototype.setAttribute;
    const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src');
    const reached = (address) => (window.isAway && /thumbnail|resources/.test(address) ? '/nothing' : address);
    window.isAway = true;
    window.comesBack = false;
    window.refused = {};
    Object.defineProperty(HTMLImageElement.prototype, 'src', { ...source, set(address) { source.set.call(this, reached(address)); } });
    Element.prototype.setAttribute = function (name, value) { write.call(this, name, name === 'src' ? reached(value) : value); };
    window.setTimeout = (work, delay, ...more) => later(work, [1500, 3000, 4000].includes(delay) ? 50 : delay, ...more);
    window.fetch = (address, ...more) => {
        if (window.comesBack && /thumbnail/.test(address)) window.isAway = false;
        if (!window.isAway || !/%s/.test(address)) return real(address, ...more);
        window.refused[address] = (window.refused[address] ?? 0) + 1;
        return Promise.reject(new TypeError('no connection'));
    };"""


# Whether the first picture of a time-lapse was shown, and none is said to be damaged.
PLAYED = """
const stage = document.querySelector('.lapse .stage'), image = stage.querySelector('img');
return image?.naturalWidth > 0 && !stage.querySelector('.damage');
"""


def outage_in_grid(context):
    """Photos whose thumbnails do not come because the server cannot be reached say so, and show them once it is back: none is called damaged."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        newest = tile_ids(driver)[0]
        driver.execute_script(AWAY % "thumbnail")
        focus(driver, ".scrubber")
        press(driver, Keys.END)
        until(lambda: newest not in tile_ids(driver), "the oldest photos")
        wait(driver, ".tile.unreachable")
        until(lambda: driver.execute_script("return Object.values(window.refused).some((count) => count > 3)"), "a thumbnail that was asked for several times")
        driver.execute_script("window.comesBack = true")
        gone(driver, ".tile:not(.loaded)")
        found = driver.find_elements("css selector", ".tile.broken, .tile.unreachable, .tile.arriving")
        assert not found, f"{len(found)} photos whose pictures came are not told as such"


def outage_in_viewer(context):
    """A photo that is open while the server cannot be reached, and those beside it, are shown by themselves once it is back."""
    with library(context, 40, months=1) as (driver, made):
        with prepared(driver, AWAY % "(thumbnail|resources|healthz)"):
            driver.get(f"{driver.current_url}?asset={made.asset(0)['id']}")
            until(lambda: "cannot be reached" in text_of(driver, ".viewer .damage"), "what is wrong")
            wait(driver, ".viewer .film .missing")
            driver.execute_script("window.isAway = false")
            wait(driver, ".viewer .full.loaded")
            gone(driver, ".viewer .damage")
            gone(driver, ".viewer .film .missing")


def outage_in_time_lapse(context):
    """A time-lapse waits for the server where it cannot be reached, and goes on by itself once it is back."""
    with library(context, 40, months=1) as (driver, _):
        driver.get(f"{driver.current_url}?from=2000-01-01")
        photos(driver)
        driver.execute_script(AWAY % "(thumbnail|resources|healthz)")
        click(driver, ".title-line button", "Time-lapse")
        until(lambda: "Waiting for the server" in text_of(driver, ".lapse .stage"), "what is wrong")
        driver.execute_script("window.isAway = false")
        until(lambda: driver.execute_script(PLAYED), "the pictures by themselves")


ALL = [outage_in_grid, outage_in_viewer, outage_in_time_lapse]
