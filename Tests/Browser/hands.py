"""What hands do to the page: pressing, choosing, going somewhere. Each tries again when what it touches is replaced."""

import contextlib

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import gone, until, use, wait

TILE = ".row.tiles .tile"


def tiles(driver):
    return driver.find_elements(By.CSS_SELECTOR, TILE)


def photos(driver):
    """Waits until every month in the window has its photos: each comes by itself, and a first one says nothing of the next."""
    wait(driver, ".tile.loaded")
    gone(driver, ".skeleton")


def tile_ids(driver):
    return driver.execute_script("return [...document.querySelectorAll('.tile')].map((one) => one.dataset.id)")


def press(driver, *keys):
    for key in keys:
        ActionChains(driver).send_keys(key).perform()


def go(context, query="", driver=None):
    driver = driver or context.driver
    settle(driver)
    driver.get(f"{context.library.address}/{query}")


def settle(driver):
    """A viewer that was closed takes its step of the history back a moment later: a page that is gone to before that would be
    left again. A link that opens nothing is waited for a little, and then left as it is."""
    with contextlib.suppress(AssertionError):
        until(lambda: "asset=" not in driver.current_url or driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]"),
              "the address without the photo", 5)


def click_on(driver, selector):
    use(driver, selector, lambda one: one.click())


def write(driver, selector, *keys):
    """Types into a field; keys that end it, too."""
    use(driver, selector, lambda one: one.send_keys(*keys))


def hover(driver, selector):
    use(driver, selector, lambda one: ActionChains(driver).move_to_element(one).perform())


def select(driver, selector, option):
    """Chooses the option of a list by what it says."""
    use(driver, selector, lambda one: Select(one).select_by_visible_text(option))


def focus(driver, selector):
    driver.execute_script("document.querySelector(arguments[0]).focus()", selector)


def tile(driver, asset):
    return driver.find_element(By.CSS_SELECTOR, f'.tile[data-id="{asset}"]')


def click_tile(driver, asset):
    """Clicks a picture, wherever it is drawn by then, and from behind a notice that lies over it."""
    def clicked():
        driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", tile(driver, asset))
        tile(driver, asset).click()
        return True
    until(clicked, f"the picture {asset} to be clicked")


def choose(driver, assets):
    """Chooses pictures without opening them."""
    for asset in assets:
        def chosen():
            if "chosen" in tile(driver, asset).get_attribute("class"):
                return True
            driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", tile(driver, asset))
            ActionChains(driver).key_down(Keys.CONTROL).click(tile(driver, asset)).key_up(Keys.CONTROL).perform()
            return False
        until(chosen, f"{asset} to be chosen")


def open_first(driver):
    """Opens the first picture, and waits for it in full."""
    click_tile(driver, tile_ids(driver)[0])
    return wait(driver, ".viewer .full.loaded, .viewer video")


def until_live(driver, begin, holds, what):
    """Begins a Live Photo's movie in the viewer and waits for what a script looks for. It plays once, and may be over before
    anybody looks: then it is begun again."""
    def seen():
        if not driver.find_elements(By.CSS_SELECTOR, ".viewer video"):
            begin()
            until(lambda: driver.find_elements(By.CSS_SELECTOR, ".viewer video"), "the movie", 5)
        return driver.execute_script(holds)
    return until(seen, what)


def text_of(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def leave_viewer(driver):
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.viewer[open]")
    settle(driver)


def fetched(driver, path, headers=None):
    """Fetches as the page would; gives status, header fields and bytes (as a list of numbers)."""
    return driver.execute_async_script("""
        const [path, headers, done] = arguments;
        fetch(path, { headers: headers ?? {} }).then(async (answer) => done({
            status: answer.status, headers: Object.fromEntries(answer.headers), bytes: [...new Uint8Array(await answer.arrayBuffer())],
        })).catch((error) => done({ status: 0, headers: {}, bytes: [], error: String(error) }));
    """, path, headers)
