"""Input to the page: key presses, selection, navigation. Each retries if its element is replaced."""

import contextlib

from selenium.webdriver import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import gone, until, use, wait

TILE = ".row.tiles .tile"


def tiles(driver):
    return driver.find_elements(By.CSS_SELECTOR, TILE)


def photos(driver):
    """Waits until every month in view has its photos: months load independently."""
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
    """A closed viewer goes back in the history a moment later, which would leave a page navigated to before. A link that
    opens nothing is waited for briefly, then left as it is."""
    with contextlib.suppress(AssertionError):
        until(lambda: "asset=" not in driver.current_url or driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]"),
              "the address without the photo", 5)


def scroll_through(driver):
    """Presses Page Down, Page Up, End and Home, each until the photos have moved as far as it says."""
    top = lambda: driver.execute_script("return document.querySelector('.scroller').scrollTop")
    newest = tile_ids(driver)[0]
    press(driver, Keys.PAGE_DOWN)
    until(lambda: top() > 300, "a page further down")
    press(driver, Keys.PAGE_UP)
    until(lambda: top() == 0, "the start again")
    press(driver, Keys.END)
    until(lambda: newest not in tile_ids(driver), "the oldest month")
    press(driver, Keys.HOME)
    until(lambda: newest in tile_ids(driver) and top() == 0, "the newest month")


def click_on(driver, selector):
    use(driver, selector, lambda one: one.click())


def write(driver, selector, *keys):
    """Types into a field, special keys included."""
    use(driver, selector, lambda one: one.send_keys(*keys))


def hover(driver, selector):
    use(driver, selector, lambda one: ActionChains(driver).move_to_element(one).perform())


def select(driver, selector, option):
    """Selects the option of a list by its text."""
    use(driver, selector, lambda one: Select(one).select_by_visible_text(option))


def focus(driver, selector):
    """Gives the focus to the first element that matches, once there is one."""
    script = "const one = document.querySelector(arguments[0]); one?.focus(); return Boolean(one)"
    until(lambda: driver.execute_script(script, selector), f"{selector} to get the focus")


def tile(driver, asset):
    return driver.find_element(By.CSS_SELECTOR, f'.tile[data-id="{asset}"]')


def click_tile(driver, asset):
    """Clicks a photo, wherever it is, even if a notice covers it."""
    def clicked():
        driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", tile(driver, asset))
        tile(driver, asset).click()
        return True
    until(clicked, f"the picture {asset} to be clicked")


def choose(driver, assets):
    """Selects photos without opening them."""
    for asset in assets:
        def chosen():
            if "chosen" in tile(driver, asset).get_attribute("class"):
                return True
            driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", tile(driver, asset))
            ActionChains(driver).key_down(Keys.CONTROL).click(tile(driver, asset)).key_up(Keys.CONTROL).perform()
            return False
        until(chosen, f"{asset} to be chosen")


def open_first(driver):
    """Opens the first photo, and waits for the full picture."""
    click_tile(driver, tile_ids(driver)[0])
    return wait(driver, ".viewer .full.loaded, .viewer video")


# Movies that play begin again at their end while `goesOn` is set.
GOES_ON = """
if (window.goesOn === undefined) document.addEventListener('play', ({ target }) => {
    if (target.closest('.viewer')) target.loop = window.goesOn;
}, true);
window.goesOn = arguments[0];
for (const one of document.querySelectorAll('.viewer video')) one.loop = arguments[0];
"""


def until_live(driver, begin, holds, what):
    """Plays a Live Photo in the viewer and waits for a script's condition. The movie goes on until then; it starts again if it
    ended before."""
    def seen():
        if not driver.find_elements(By.CSS_SELECTOR, ".viewer video"):
            begin()
            until(lambda: driver.find_elements(By.CSS_SELECTOR, ".viewer video"), "the movie", 60)
        return driver.execute_script(holds)

    driver.execute_script(GOES_ON, True)
    value = until(seen, what)
    driver.execute_script(GOES_ON, False)
    return value


def finger(driver, kind, x=None, y=None):
    """Puts a finger down, moves it or lifts it: Start, Move, End."""
    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [] if x is None else [{"x": x, "y": y}]})


def tap(driver, selector, is_done):
    """Taps an element until that has had its effect: on a busy machine a tap can last as long as a long press."""
    def tapped():
        if is_done():
            return True
        actions = ActionBuilder(driver, mouse=PointerInput("touch", "finger"))
        actions.pointer_action.move_to(driver.find_element(By.CSS_SELECTOR, selector)).pointer_down().pointer_up()
        actions.perform()
        return until(is_done, f"the effect of a tap on {selector}", 5)

    until(tapped, f"{selector} to be tapped")


def swipe(driver, start, end):
    finger(driver, "Start", *start)
    for step in range(1, 6):
        finger(driver, "Move", *(a + (b - a) * step / 5 for a, b in zip(start, end)))
    finger(driver, "End")


def swipe_list(driver, start, end, beyond):
    """Swipes until the list has scrolled beyond a position: on a busy machine a swipe can begin as a long press."""
    def scrolled():
        swipe(driver, start, end)
        return until(lambda: driver.execute_script("return document.querySelector('.scroller').scrollTop") > beyond, "the swipe to scroll", 5)

    until(scrolled, "the list to scroll")


def text_of(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def await_viewer(driver):
    """Waits for what the page loads after the first photo: the viewer, and what edits."""
    driver.execute_async_script("""
        const from = document.querySelector('script[type=module]').src;
        Promise.all(['open-photo', 'edits'].map((name) => import(new URL(`./${name}.js`, from)))).then(() => arguments[0]());
    """)


def leave_viewer(driver):
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.viewer[open]")
    settle(driver)


@contextlib.contextmanager
def prepared(driver, source):
    """Pages that load inside run a script before their own."""
    script = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def at_time(driver, now):
    """Pages that load inside take a time in milliseconds for the present when they ask which day it is: midnight may come at any
    moment."""
    return prepared(driver, """
        window.Date = class extends Date {
            constructor(...parts) { super(...(parts.length > 0 ? parts : [%d])); }
        };""" % now)


def told(driver, change):
    """Pages that load inside are told something else by the server: `change` edits each `body`."""
    return prepared(driver, """
        const parse = Response.prototype.json, ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
        Response.prototype.json = async function () {
            const body = await parse.call(this);
            %s
            return body;
        };""" % change)


def fetched(driver, path, headers=None):
    """Fetches as the page would; returns status, header fields and bytes (a list of numbers)."""
    return driver.execute_async_script("""
        const [path, headers, done] = arguments;
        fetch(path, { headers: headers ?? {} }).then(async (answer) => done({
            status: answer.status, headers: Object.fromEntries(answer.headers), bytes: [...new Uint8Array(await answer.arrayBuffer())],
        })).catch((error) => done({ status: 0, headers: {}, bytes: [], error: String(error) }));
    """, path, headers)
