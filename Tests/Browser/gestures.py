"""Everyday gestures, each of which was once broken."""

from selenium.webdriver import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys

from browse import FRAMES
from browser import PHONE, click, gone, named, until, wait
from hands import TILE, choose, click_on, focus, go, hover, leave_viewer, open_first, photos, press, scroll_through, swipe, swipe_list, text_of, tile, tile_ids, told, write
from states import library
from viewing import OWN_SLIDES, next_slide

AT_REST = "return !document.querySelector('.scrubber').matches('.moving, .held, .hovered')"
FOCUSED = "return document.activeElement.dataset.id"
# A proxy answers in place of the server, which the stream of changes still reaches.
AWAY = """
    const real = window.fetch;
    window.refused = [];
    window.isAway = true;
    window.fetch = (address, ...more) => {
        if (!window.isAway) return real(address, ...more);
        window.refused.push(String(address));
        return Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    };"""


def network(driver, is_offline):
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def scroll(driver, top):
    """Scrolls the photos, and waits until the page has followed: it hears of it in the next frame."""
    driver.execute_script("document.querySelector('.scroller').scrollTop = arguments[0]", top)
    driver.execute_async_script(FRAMES)


def edges(context):
    """D1: nothing covers the photos at the right edge, on a phone, a desktop, or in a narrow window; a swipe there scrolls without jumping."""
    missed = """
        const missed = [], view = document.querySelector('.scroller').getBoundingClientRect();
        const edge = Math.max(...[...document.querySelectorAll('.row.tiles')].map((one) => one.getBoundingClientRect().right));
        for (const x of [4, 15, 30].map((left) => edge - left)) {
            for (let y = view.top + 2; y < Math.min(view.bottom, innerHeight) - 2; y += 4) {
                if (document.elementFromPoint(x, y)?.closest('.scrubber')) missed.push(`${x}, ${y}`);
            }
        }
        return missed"""
    # Beside the navigation, the narrow window leaves the photos as little width as a phone does.
    for size in (PHONE, None, (780, 900)):
        with library(context, 3000, **({"size": size} if size else {})) as (driver, _):
            photos(driver)
            for place in (0, 0.5):
                scroll(driver, place * driver.execute_script("return document.querySelector('.canvas').clientHeight"))
                photos(driver)
                until(lambda: driver.execute_script(AT_REST), "the scrubber to rest")
                found = driver.execute_script(missed)
                assert not found, f"photos cannot be touched at their right edge: {found[:5]}"
            if size != PHONE:
                continue
            scroll(driver, 0)
            photos(driver)
            until(lambda: driver.execute_script(AT_REST), "the scrubber to rest")
            x, y = driver.execute_script("return [innerWidth - 12, innerHeight * 0.7]")
            swipe_list(driver, (x, y), (x, y - 150), 20)
            assert driver.execute_script("return document.querySelector('.scroller').scrollTop") < 3000, "the swipe jumped"


def far_range(context):
    """D2: a range over months that are not loaded is selected completely; so with Shift and arrows, and with Ctrl+A."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        first = tile_ids(driver)[0]
        focus(driver, f'.tile[data-id="{first}"]')
        press(driver, " ")
        until(lambda: "1 photo selected" in text_of(driver, ".selection-bar"), "the first")
        oldest = f"{3000 - 1:08x}-0000-7000-8000-000000000000"
        press(driver, Keys.END)
        until(lambda: driver.execute_script(FOCUSED) == oldest, "the oldest photo")
        # Its row goes a frame after the focus.
        until(lambda: first not in tile_ids(driver), "the newest month to go")

        def ranged():
            ActionChains(driver).key_down(Keys.SHIFT).click(tile(driver, oldest)).key_up(Keys.SHIFT).perform()
            return True
        until(ranged, "the last to be clicked")
        until(lambda: "3,000 photos selected" in text_of(driver, ".selection-bar"), "all between the two")
        press(driver, Keys.ESCAPE)
        gone(driver, ".tile.chosen")
        focus(driver, ".scrubber")
        press(driver, Keys.HOME)
        until(lambda: first in tile_ids(driver), "the newest month")
        photos(driver)
        focus(driver, f'.tile[data-id="{first}"]')
        for count in (2, 3):
            before = driver.execute_script(FOCUSED)
            ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
            until(lambda: driver.execute_script(FOCUSED) != before, "the next photo")
            until(lambda: f"{count} photos selected" in text_of(driver, ".selection-bar"), f"{count} chosen")
        # A page that was just opened has loaded what it shows, and no more.
        driver.refresh()
        photos(driver)
        until(lambda: first in tile_ids(driver), "the newest photo")
        focus(driver, f'.tile[data-id="{first}"]')
        ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        until(lambda: "3,000 photos selected" in text_of(driver, ".selection-bar"), "all")


def cancelled_choice(context):
    """Escape cancels Ctrl+A while photos still have to load; the page shows that it selects."""
    with library(context, 3000) as (driver, made):
        photos(driver)
        made.go_on.clear()
        ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        sign = "return getComputedStyle(document.querySelector('.wall'), '::before').content"
        until(lambda: "Selecting" in driver.execute_script(sign), "the sign that it selects")
        press(driver, Keys.ESCAPE)
        made.go_on.set()
        gone(driver, ".canvas[aria-busy]")
        assert not driver.find_elements("css selector", ".tile.chosen, .selection-bar:not([hidden])"), "the photos are selected all the same"


def range_start(context):
    """A range begins at what is selected now, and takes back what it selected too much; a photo in the trash begins none."""
    with library(context, 3000, months=6) as (driver, made):
        photos(driver)
        ids = [made.asset(number)["id"] for number in range(14)]
        selected = lambda count: until(lambda: f"{count} photo{'' if count == 1 else 's'} selected" in text_of(driver, ".selection-bar"), f"{count} chosen")
        chosen = "return [...document.querySelectorAll('.tile.chosen')].map((one) => one.dataset.id).toSorted()"
        shift = lambda key: ActionChains(driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()

        focus(driver, f'.tile[data-id="{ids[0]}"]')
        press(driver, " ")
        selected(1)
        press(driver, Keys.ESCAPE)
        gone(driver, ".tile.chosen")
        focus(driver, f'.tile[data-id="{ids[9]}"]')
        for key, count in ((Keys.ARROW_RIGHT, 2), (Keys.ARROW_RIGHT, 3), (Keys.ARROW_LEFT, 2), (Keys.ARROW_LEFT, 1), (Keys.ARROW_LEFT, 2)):
            shift(key)
            selected(count)
        assert driver.execute_script(chosen) == ids[8:10], driver.execute_script(chosen)

        press(driver, Keys.ESCAPE)
        gone(driver, ".tile.chosen")
        focus(driver, f'.tile[data-id="{ids[9]}"]')
        press(driver, " ")
        selected(1)
        click(driver, ".selection-bar button", "Trash")
        gone(driver, f'.tile[data-id="{ids[9]}"]')
        focus(driver, f'.tile[data-id="{ids[11]}"]')
        shift(Keys.ARROW_RIGHT)
        selected(2)
        assert driver.execute_script(chosen) == ids[11:13], driver.execute_script(chosen)


def keys_anywhere(context):
    """Ctrl+A and Escape need no focused photo, Delete moves the selection to the trash; Ctrl+Z and ? work in an open photo."""
    driver, made = context.driver, context.library
    control = lambda key: ActionChains(driver).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()
    go(context)
    photos(driver)
    count = len(made.assets())
    assert driver.execute_script("return document.activeElement === document.body"), "something has the focus"
    control("a")
    until(lambda: f"{count} photos selected" in text_of(driver, ".selection-bar"), "all of them")
    press(driver, Keys.ESCAPE)
    gone(driver, ".tile.chosen")
    choose(driver, tile_ids(driver)[:2])
    until(lambda: "2 photos selected" in text_of(driver, ".selection-bar"), "two chosen")
    press(driver, Keys.DELETE)
    until(lambda: "moved to the trash" in text_of(driver, "#notices"), "the way back from the trash")
    assert len(made.assets()) == count - 2
    control("z")
    until(lambda: len(made.assets()) == count, "both again")

    go(context)
    photos(driver)
    open_first(driver)
    path = f"/v1/assets/{driver.current_url.split('asset=')[1]}"
    before = made.get(path)["rating"]
    press(driver, "1" if before != 1 else "2")
    until(lambda: "Rated" in text_of(driver, "#notices") and made.get(path)["rating"] != before, "the stars")
    control("z")
    until(lambda: made.get(path)["rating"] == before, "the stars from before")
    press(driver, "?")
    until(lambda: "select a range" in text_of(driver, "dialog.ask"), "the keys over the photo")
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.ask")
    assert driver.find_elements("css selector", "dialog.viewer[open]"), "the photo closed with the list of keys"
    leave_viewer(driver)


def page_keys(context):
    """Page Down, Page Up, End and Home scroll the photos of a page in which nothing has the focus."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        top = lambda: driver.execute_script("return document.querySelector('.scroller').scrollTop")
        assert driver.execute_script("return document.activeElement === document.body") and top() == 0
        scroll_through(driver)


def drag(driver, start, end):
    """Presses the mouse at a point of the window and lets go at another; at the same point that is a click."""
    act = ActionBuilder(driver)
    act.pointer_action.move_to_location(*map(int, start)).pointer_down().move_to_location(*map(int, end)).pointer_up()
    act.perform()
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def questions(context):
    """A cancelled question leaves the selection. A press on a question's edge and text that is selected beyond it leave it open, a press beside it
    closes it. An album that cannot be made is explained, and can be tried again."""
    driver, made = context.driver, context.library
    go(context)
    photos(driver)
    choose(driver, tile_ids(driver)[:2])
    selected = lambda: "2 photos selected" in text_of(driver, ".selection-bar")
    until(selected, "two chosen")
    for act in ("Album", "Keyword"):
        click(driver, ".selection-bar button", act)
        click(driver, "dialog.ask button", "Cancel")
        gone(driver, "dialog.ask")
        driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        assert selected(), f"a cancelled “{act}” gave up the selection"

    click(driver, ".selection-bar button", "Keyword")
    write(driver, "dialog.ask input", "kept")
    corner, field = driver.execute_script("""return ['dialog.ask', 'dialog.ask input'].map((one) => {
        const box = document.querySelector(one).getBoundingClientRect();
        return [box.left, box.top + box.height / 2];
    })""")
    edge, beside, text = (corner[0] + 6, corner[1]), (corner[0] - 60, corner[1]), (field[0] + 20, field[1])
    for start, end in ((edge, edge), (text, beside)):
        drag(driver, start, end)
        assert driver.execute_script("return document.querySelector('dialog.ask[open] input')?.value") == "kept", "the question was closed"
    drag(driver, beside, beside)
    gone(driver, "dialog.ask")
    assert selected(), "the press beside the question gave up the selection"

    click(driver, ".selection-bar button", "Album")
    write(driver, "dialog.ask input", "Made at last")
    driver.execute_script(AWAY)
    click(driver, "dialog.ask button", "Create")
    until(lambda: "cannot be reached" in text_of(driver, "#notices"), "why there is no album")
    driver.execute_script("window.isAway = false")
    click(driver, "dialog.ask button", "Create")
    until(lambda: "Added to “Made at last”" in text_of(driver, "#notices"), "the album")
    gone(driver, ".tile.chosen")
    for one in made.get("/v1/albums")["albums"]:
        if one["album"]["title"] == "Made at last":
            assert made.call("DELETE", f"/v1/albums/{one['album']['id']}")[0] == 204


def window_titles(context):
    """The window is named as the view is, also where the name comes later."""
    driver, made = context.driver, context.library
    asset = made.assets()[0]
    name = made.get(f"/v1/admin/devices/{asset['deviceID']}")["name"]
    album = made.add_album("Window", [asset["id"]])
    titled = lambda title: until(lambda: driver.title == f"{title} · Tintype", f"the window named {title}")
    for place, title in (("", "Photos"), (f"?device={asset['deviceID']}", name), (f"?view=devices&id={asset['deviceID']}", name),
                         (f"?view=album&id={album}", "Window"), ("?view=map", "Map"), ("?view=album&id=gone", "Nothing here")):
        go(context, place)
        titled(title)
    go(context, f"?view=moment&id={asset['captureTime']['wall']}")
    titled(until(lambda: text_of(driver, "h1"), "the time of day"))
    click(driver, "#places a", "Albums")
    titled("Albums")
    assert made.call("DELETE", f"/v1/albums/{album}")[0] == 204


def keyword_chip(context):
    """D3: a keyword of two words finds its photo by its own chip."""
    driver, made = context.driver, context.library
    asset = made.assets()[0]["id"]
    assert made.call("PATCH", f"/v1/assets/{asset}", {"addedKeywords": ["red fox+hound"]})[0] == 200
    go(context, f"?asset={asset}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    click_on(driver, ".panel .chip .link")
    until(lambda: tile_ids(driver) == [asset], "its photo alone")


def back_and_space(context):
    """D5, D6: Space leaves the viewer open, Back closes it and leaves the gallery where it was."""
    driver = context.driver
    go(context)
    photos(driver)
    driver.execute_script("window.isTheSamePage = true")
    first, second = tile_ids(driver)[:2]
    open_first(driver)
    press(driver, " ")
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: second in driver.current_url, "the second photo: Space has closed nothing")
    driver.back()
    gone(driver, "dialog.viewer[open]")
    assert driver.execute_script("return window.isTheSamePage") and "asset=" not in driver.current_url, driver.current_url
    until(lambda: driver.execute_script(FOCUSED) == second, "the focus on the photo that was open")
    driver.forward()
    wait(driver, "dialog.viewer[open]")
    leave_viewer(driver)
    assert driver.execute_script("return window.isTheSamePage")


def far_link(context):
    """D6: a link to a photo that is not loaded opens it among its neighbours, and Escape focuses its tile."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        newest = tile_ids(driver)[0]
        focus(driver, ".scrubber")
        press(driver, Keys.END)
        until(lambda: newest not in tile_ids(driver), "the oldest month")
        photos(driver)
        far = until(lambda: (lambda ids: len(ids) > 2 and ids[-2])(tile_ids(driver)), "one of the oldest")
        driver.get(f"{driver.current_url.split('?')[0]}?asset={far}")
        wait(driver, "dialog.viewer[open]")

        press(driver, Keys.ARROW_LEFT)
        until(lambda: far not in driver.current_url, "the neighbour")
        near = driver.current_url.split("asset=")[1]
        press(driver, Keys.ESCAPE)
        gone(driver, "dialog.viewer[open]")
        until(lambda: driver.execute_script(FOCUSED) == near, "the focus on the photo")


def search_follows(context):
    """D7: the search field shows the current search, after Back and Forward as well."""
    driver = context.driver
    go(context)
    photos(driver)
    field = "#top input[type=search]"
    value = "return document.querySelector('#top input[type=search]').value"
    write(driver, field, "nosuchword", Keys.ENTER)
    until(lambda: "Nothing matches" in text_of(driver, "#content"), "the empty search")
    assert driver.execute_script("return document.activeElement.matches(arguments[0])", field), "the focus is not in the field any more"
    driver.back()
    photos(driver)
    until(lambda: driver.execute_script(value) == "", "the field to be empty over all photos")
    driver.forward()
    until(lambda: driver.execute_script(value) == "nosuchword", "the search that was gone forward to")
    # A search that is not sent yet ends with another place.
    unsent = driver.execute_script("""
        const [later, clear] = [setTimeout, clearTimeout];
        window.setTimeout = (step, delay, ...more) => {
            const timer = later(step, delay, ...more);
            if (delay === 350) window.unsent = timer;
            return timer;
        };
        window.clearTimeout = (timer) => {
            if (timer === window.unsent) window.unsent = 'dropped';
            clear(timer);
        };
        const input = document.querySelector(arguments[0]);
        input.value = 'fog';
        input.dispatchEvent(new Event('input'));
        document.querySelector('#places [data-view=albums]').click();
        return window.unsent;""", field)
    assert unsent == "dropped", "the search would lead away from the albums"
    driver.back()
    until(lambda: driver.execute_script(value) == "nosuchword", "the search that was left")
    click(driver, "#places a", "Albums")
    until(lambda: driver.execute_script(value) == "", "the field to be empty where nothing is searched")
    driver.back()
    until(lambda: driver.execute_script(value) == "nosuchword", "the search that was gone back to")
    go(context, "?text=nosuchword")
    until(lambda: driver.execute_script(value) == "nosuchword", "the search of a link")
    click(driver, "button", "Clear the search")
    photos(driver)


def search_named(context):
    """The heading and a chip say what is searched; the chip ends the search alone, Clear also the filters."""
    driver = context.driver
    chips = "return [...document.querySelectorAll('.filters .chip')].map((one) => one.textContent)"

    def shown(title, *names):
        until(lambda: text_of(driver, "h1") == title and driver.execute_script(chips) == list(names), title)

    go(context, "?text=nosuchword&type=videos")
    shown("Videos: “nosuchword”", "“nosuchword”", "Videos")
    click(driver, ".filters button", "Remove filter “nosuchword”")
    until(lambda: "text=" not in driver.current_url and "type=videos" in driver.current_url, "the videos alone")
    shown("Videos", "Videos")
    until(lambda: driver.execute_script("return document.querySelector('#top input[type=search]').value") == "", "the field to be empty")
    driver.back()
    shown("Videos: “nosuchword”", "“nosuchword”", "Videos")
    click(driver, ".filters button", "Clear")
    shown("Photos")
    go(context, "?view=favorites&text=nosuchword")
    shown("Favourites: “nosuchword”", "“nosuchword”")
    long = "nosuchword" * 40
    go(context, f"?text={long}")
    shown(f"Photos: “{long}”", f"“{long}”")
    for part in (".title-line", ".filters"):
        assert driver.execute_script("const { scrollWidth, clientWidth } = document.querySelector(arguments[0]); return scrollWidth <= clientWidth", part), part


def odd_links(context):
    """Values that cannot be filtered by, in a link that is old or cut off, are left out: all photos are shown, without a chip."""
    driver = context.driver
    for query in ("?device=AAAAAAA", "?from=garbage&until=x", "?album=none", "?rating=9&inside=1,2"):
        go(context, query)
        photos(driver)
        until(lambda: f"{len(context.library.assets())} photos" in text_of(driver, ".view-heading"), f"all photos at {query}")
        assert not driver.find_elements("css selector", ".filters .chip"), f"a chip at {query}"


def unreachable_view(context):
    """D8: a view that fails to load covers nothing else; it loads by itself when the server is back, with its script and style."""
    # Older browsers never ask again for a script that failed.
    for old in ([], ["ModuleMapDoNotCacheFailedFetch"]):
        with context.another_browser(without=old) as driver:
            context.enter(driver)
            photos(driver)
            # The view is fetched for the first time, its style too, which the login page has.
            driver.execute_cdp_cmd("Network.clearBrowserCache", {})
            recover(driver)


def recover(driver):
    network(driver, True)
    click(driver, "#places a", "Audit")
    until(lambda: "cannot be reached" in text_of(driver, "#content"), "what is wrong")
    assert text_of(driver, "#content").count("cannot be reached") == 1, text_of(driver, "#content")
    covered = """return [...document.querySelectorAll('#places a, #top input')].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 0 && !one.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    }).length"""
    assert driver.execute_script(covered) == 0, "the navigation is covered"
    # The line that says so lies over the upper edge of the search field.
    driver.execute_script("document.body.classList.add('offline')")
    edge = """const box = document.querySelector('#top input').getBoundingClientRect();
        return document.elementFromPoint(box.left + box.width / 2, box.top + 2).closest('.search') !== null"""
    assert driver.execute_script(edge), "the line without a connection takes the search field's clicks"
    network(driver, False)
    until(lambda: "cannot be reached" not in text_of(driver, "#content") and wait(driver, "#content table", 5), "the audit by itself")
    # The sheet of a failed link has rules that cannot be read.
    style = "return [...document.styleSheets].some((one) => one.href?.endsWith('pages.css') && one.cssRules.length > 0)"
    until(lambda: driver.execute_script(style), "its style")


def failed_months(context):
    """D8: a month that could not be loaded says so in its place, and in one notice; it comes by itself when the server is back."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        newest = tile_ids(driver)[0]
        network(driver, True)
        focus(driver, ".scrubber")
        press(driver, Keys.END)
        said = "return [...document.querySelectorAll(arguments[0])].filter((one) => one.textContent.includes('cannot be reached')).length"
        until(lambda: driver.execute_script(said, ".skeleton") > 0, "what is wrong, where the photos would be")
        until(lambda: driver.execute_script(said, ".notice") > 0, "the notice")
        assert driver.execute_script(said, ".notice") == 1, "each month has a notice"
        network(driver, False)
        photos(driver)
        assert newest not in tile_ids(driver), "the page went back to where it began"


def behind_proxy(context):
    """D8: a proxy's 502 means an unreachable server: what is shown stays in view, and what could not be loaded comes by itself when the server is back."""
    driver, made = context.driver, context.library
    go(context)
    photos(driver)
    asset = tile_ids(driver)[1]
    driver.execute_script(AWAY)
    assert made.call("DELETE", f"/v1/assets/{asset}")[0] == 204
    asked = "return window.refused.some((one) => one.startsWith('/v1/timeline'))"
    until(lambda: driver.execute_script(asked), "the months to be asked for again")
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert not driver.find_elements("css selector", ".wall .empty"), "a refusal covers the photos"
    click(driver, "#places a", "Audit")
    until(lambda: "cannot be reached" in text_of(driver, "#content"), "what is wrong")
    driver.execute_script("window.isAway = false")
    wait(driver, "#content table")
    assert made.call("PATCH", f"/v1/assets/{asset}", {"restores": True})[0] == 200


def login_again(context):
    """D9, D10: a second link logs in again; an ended login says so, and the next one returns to the same place."""
    made = context.library
    with context.another_browser() as driver:
        for _ in range(2):
            driver.get(made.login_link())
            wait(driver, TILE)
        for one in made.get("/v1/admin/web-logins")["sessions"][-2:]:
            made.call("DELETE", f"/v1/admin/web-logins/{one['id']}")
        go(context, "?view=devices", driver)
        until(lambda: "your login has ended" in driver.page_source, "what happened")
        driver.get(made.login_link())
        until(lambda: "view=devices" in driver.current_url and "gate" in text_of(driver, "#content"), "the page that was asked for")


def when_and_where(context):
    """A hovered or focused photo shows its time and camera in full, and screen readers are told the camera; so does the viewer; a camera has a page."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    go(context, f"?device={device}")
    until(lambda: text_of(driver, "h1") == "gate", "the camera's name over its photos")
    photos(driver)
    first = tile_ids(driver)[0]
    focus(driver, f'.tile[data-id="{first}"]')
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: driver.execute_script(FOCUSED) not in (None, first), "the next photo")
    shown = "return getComputedStyle(document.activeElement, '::before').content"
    until(lambda: " · gate" in driver.execute_script(shown), "when and where below the photo")
    # An outline lies below the picture: the ring has to lie over it.
    ring = "const s = getComputedStyle(document.activeElement, '::after'); return [s.borderTopWidth, s.zIndex, s.position]"
    until(lambda: driver.execute_script(ring) == ["3px", "3", "absolute"], "the ring over the picture")
    context.shot("when-and-where")
    hovered = f'.tile[data-id="{first}"]'
    shown_on = "return getComputedStyle(document.querySelector(arguments[0]), '::before').content"
    assert driver.execute_script(shown_on, hovered) == "none", "it is shown without a hand on it"
    hover(driver, hovered)
    until(lambda: " · gate" in driver.execute_script(shown_on, hovered), "when and where under the pointer")
    press(driver, Keys.ENTER)
    until(lambda: " · gate" in text_of(driver, ".viewer h2"), "the camera in the viewer")
    leave_viewer(driver)
    name = "north gate of the old harbour, behind the lighthouse"
    with told(driver, f"for (const one of body?.devices ?? []) one.name = '{name}';"):
        go(context, f"?device={device}")
        photos(driver)
        until(lambda: driver.find_element("css selector", hovered).accessible_name.endswith(f", {name}"), "the camera in the photo's name")
        hover(driver, hovered)
        until(lambda: name in driver.execute_script(shown_on, hovered), "the long name under the pointer")
        room = """const tile = document.querySelector(arguments[0]), style = getComputedStyle(tile, '::before');
            return [style.whiteSpace, tile.clientHeight - parseFloat(style.height) - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)]"""
        wrap, left = driver.execute_script(room, hovered)
        assert wrap == "normal" and left >= 0, f"the long name is cut off: {wrap}, {left} px left"


def help_by_key(context):
    """? lists the keys, and Escape closes the list."""
    driver = context.driver
    go(context)
    photos(driver)
    press(driver, "?")
    until(lambda: "select a range" in text_of(driver, "dialog.ask"), "the keys")
    context.shot("keys")
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.ask")


SCALE = """const full = document.querySelector('.viewer .full.loaded');
    return full && { scale: new DOMMatrix(getComputedStyle(full).transform).a, x: new DOMMatrix(getComputedStyle(full).transform).e,
        pixels: full.naturalWidth / (full.closest('.frame').clientWidth * devicePixelRatio) }"""


# What is seen of the picture at the middles of the stage's edges: left, right, top, bottom.
COVERED = """const { left, right, top, bottom } = document.querySelector('.viewer .stage').getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return [[left + 3, y], [right - 3, y], [x, top + 3], [x, bottom - 3]].map((place) => document.elementFromPoint(...place)?.matches('.full'))"""


def zoom(context):
    """A picture zooms to its original's pixels over the whole stage, by wheel and keys; arrows then pan to its edges, and navigate again at the initial scale."""
    driver, made = context.driver, context.library
    asset = made.take_in_large_picture(6000, 4000)
    go(context, f"?asset={asset}")
    now = lambda: driver.execute_script(SCALE)
    until(lambda: now(), "the picture in full")
    assert now()["scale"] == 1, now()
    wheel = """const stage = document.querySelector('.viewer .stage'), box = stage.getBoundingClientRect();
        stage.dispatchEvent(new WheelEvent('wheel', { deltaY: arguments[0], clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, cancelable: true }))"""
    driver.execute_script(wheel, -300)
    until(lambda: 1.5 < now()["scale"] < 2, "the wheel to bring it closer")
    for _ in range(20):
        driver.execute_script(wheel, -500)
    assert now()["pixels"] > 3, now()
    until(lambda: abs(now()["scale"] - now()["pixels"]) < 0.01, "the original's pixels, and no more")
    assert driver.execute_script(COVERED) == [True] * 4, "the picture does not use the whole stage"
    before = now()["x"]
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: now()["x"] == before - 80, "the arrow to move in it")
    frame = driver.find_element("css selector", ".viewer .frame")
    ActionChains(driver).move_to_element(frame).click_and_hold().move_by_offset(-60, 0).release().perform()
    until(lambda: now()["x"] == before - 140, "the hand to move it")
    edge = """const [full, stage] = ['.full', '.stage'].map((one) => document.querySelector(`.viewer ${one}`).getBoundingClientRect().left);
        return full - stage"""
    for _ in range(100):
        press(driver, Keys.ARROW_LEFT)
        if driver.execute_script(edge) > -0.5:
            break
    assert abs(driver.execute_script(edge)) < 0.5 and asset in driver.current_url, "the picture's edge is not at the stage's"
    press(driver, "z")
    until(lambda: now()["scale"] == 1, "the whole picture")
    press(driver, "+")
    until(lambda: abs(now()["scale"] - 1.5) < 0.01, "the key to bring it closer")
    press(driver, "-", Keys.ARROW_RIGHT)
    until(lambda: asset not in driver.current_url, "the next photo")
    leave_viewer(driver)
    made.purge(asset)


def zoom_resized(context):
    """A zoomed picture still fills the stage after a phone was turned, which changes the stage."""
    with library(context, 3) as (driver, _):
        photos(driver)
        driver.get(f"{driver.current_url}?asset={tile_ids(driver)[0]}")
        until(lambda: driver.execute_script(SCALE), "the picture in full")
        press(driver, "z", *[Keys.ARROW_RIGHT, Keys.ARROW_DOWN] * 20)
        edges = """const [full, stage] = ['.full', '.stage'].map((one) => document.querySelector(`.viewer ${one}`).getBoundingClientRect());
            return [stage.width, full.left - stage.left, full.top - stage.top, stage.right - full.right, stage.bottom - full.bottom]"""
        width, *beyond = driver.execute_script(edges)
        assert max(beyond) < 2 and max(beyond[:2]) < -100, f"the picture does not show its far corner: {beyond}"
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 520, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        until(lambda: driver.execute_script(edges)[0] < width / 1.5, "a smaller stage")
        until(lambda: max(driver.execute_script(edges)[1:]) < 2, "the picture to fill it")


def slideshow(context):
    """A slideshow advances to the last photo, and ends when the user navigates; Space and its button pause it, and let it go on."""
    with library(context, 3) as (driver, _):
        photos(driver)
        ids = tile_ids(driver)
        driver.get(f"{driver.current_url}?asset={ids[0]}")
        wait(driver, ".viewer .full.loaded, .viewer video")
        driver.execute_script(OWN_SLIDES)
        press(driver, "s")
        named(driver, ".viewer button", "Pause the slideshow")
        press(driver, " ")
        named(driver, ".viewer button", "Resume the slideshow")
        next_slide(driver)
        driver.execute_async_script(FRAMES)
        assert ids[0] in driver.current_url, "it goes on while it is paused"
        click(driver, ".viewer button", "Resume the slideshow")
        focused = "return document.activeElement.getAttribute('aria-label')"
        until(lambda: driver.execute_script(focused) == "Pause the slideshow", "the button to be the one that pauses, with the focus")
        for one in ids[1:]:
            next_slide(driver)
            until(lambda: one in driver.current_url, "the next photo by itself")
        next_slide(driver)
        until(lambda: not driver.find_elements("css selector", ".viewer.sliding"), "the end after the last photo")
        press(driver, Keys.ARROW_LEFT)
        until(lambda: ids[1] in driver.current_url, "back by hand")
        press(driver, "s")
        wait(driver, ".viewer.sliding")
        press(driver, Keys.ARROW_LEFT)
        until(lambda: not driver.find_elements("css selector", ".viewer.sliding"), "the hand to end it")
        until(lambda: ids[0] in driver.current_url, "the photo before")


def pinch(context):
    """On a phone a pinch zooms beyond the picture's own height, and is no swipe."""
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        asset = tile_ids(driver)[0]
        driver.get(f"{driver.current_url}?asset={asset}")
        until(lambda: driver.execute_script(SCALE), "the picture in full")
        x, y = driver.execute_script("const r = document.querySelector('.viewer .frame').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]")

        def fingers(kind, apart):
            points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
            driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [] if kind == "End" else points})

        fingers("Start", 20)
        for apart in (25, 30, 35, 40):
            fingers("Move", apart)
        fingers("End", 0)
        until(lambda: 1.6 < driver.execute_script(SCALE)["scale"] < 2.4, "twice as close")
        above = """const { left, width, top } = document.querySelector('.viewer .frame').getBoundingClientRect();
            return document.elementFromPoint(left + width / 2, top - 40)?.matches('.full')"""
        assert driver.execute_script(above), "it stays within the height of the whole picture"
        assert asset in driver.current_url and driver.find_elements("css selector", "dialog.viewer[open]"), "it was taken for a swipe"


def long_press(context):
    """A finger that trembles while it rests on a photo selects it, and so it stays when the finger is lifted late."""
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        # Some browsers keep a real finger's trembling to themselves. What would be over by the time that it is lifted is over at once.
        driver.execute_script("""
            const later = setTimeout.bind(window), tile = document.querySelector('.tile'), { left, top } = tile.getBoundingClientRect();
            window.setTimeout = (step, delay, ...more) => later(step, delay > 450 && delay < 1000 ? 0 : delay, ...more);
            window.rest = (type, x) => tile.dispatchEvent(new PointerEvent(type, {
                bubbles: true, pointerType: 'touch', clientX: left + 20 + x, clientY: top + 20,
            }));
            for (const [place, type] of ['pointerdown', 'pointermove', 'pointermove'].entries()) window.rest(type, place * 3);""")
        until(lambda: "1 photo selected" in text_of(driver, ".selection-bar"), "the photo under the finger")
        driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        driver.execute_script("window.rest('pointerup', 6); document.querySelector('.tile').click()")
        assert "1 photo selected" in text_of(driver, ".selection-bar"), "the lifted finger gave the photo back"
        driver.execute_script("window.rest('pointerdown', 0); window.rest('pointerup', 0); document.querySelector('.tile').click()")
        gone(driver, ".tile.chosen")


def actions_on_a_phone(context):
    """On a phone every action on the selection is in view, and nothing covers it."""
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        focus(driver, TILE)
        ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        until(lambda: "40 photos selected" in text_of(driver, ".selection-bar"), "the selection")
        names, hidden = driver.execute_script("""
            const all = [...document.querySelectorAll('.selection-bar button')];
            const isHidden = (one) => {
                const { left, right, top, bottom } = one.getBoundingClientRect();
                return left < 0 || right > innerWidth || !one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
            };
            return [all, all.filter(isHidden)].map((list) => list.map((one) => one.textContent));""")
        assert {"Favourite", "Time-lapse", "Save", "Trash"} <= set(names), names
        assert not hidden, hidden
        context.shot("actions-phone", driver)


def badge_on_a_phone(context):
    """On a phone the number of requests that wait is in view, though the inbox is beyond the edge of the navigation."""
    with library(context, 40, size=PHONE) as (driver, _):
        with told(driver, "if (/admin\\/requests/.test(this.url)) body.requests = [{ deviceID: 'north' }];"):
            driver.refresh()
            until(lambda: text_of(driver, "#places .count").startswith("1"), "the badge")
            seen = """const { left, right, top, bottom } = document.querySelector('#places .count').getBoundingClientRect();
                return left >= 0 && right <= innerWidth
                    && Boolean(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest('[data-view=inbox]'))"""
            assert driver.execute_script(seen), "the badge is out of view"
            context.shot("badge-phone", driver)


def names_of_people(context):
    """D15, D20: sessions show device names; bidirectional controls in names are shown as marks."""
    driver, made = context.driver, context.library
    status, session = made.as_device("camera", "POST", "/v1/picker/sessions", {"purpose": "A postcard of the lake."})
    assert status == 201, session
    go(context, "?view=sessions")
    [asked] = [one for one in made.get("/v1/admin/picker-sessions")["sessions"] if one["request"]["purpose"] == "A postcard of the lake."]
    name = made.get(f"/v1/admin/devices/{asked['deviceID']}")["name"]
    row = "return [...document.querySelectorAll('#content tr')].find((one) => one.textContent.includes('A postcard of the lake.'))?.cells[0].textContent"
    until(lambda: driver.execute_script(row) == name, "the device's name with its session")
    ends = row.replace("cells[0]", "cells[4]")
    assert driver.execute_script(ends), "an open session never ends"
    assert made.as_device("camera", "DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204
    go(context, "?view=sessions")
    until(lambda: driver.execute_script(row.replace("cells[0]", "cells[2]")) == "ended", "the session to have ended")
    assert driver.execute_script(ends) == "", driver.execute_script(ends)
    asset = made.assets()[0]["id"]
    assert made.call("PATCH", f"/v1/assets/{asset}", {"title": "invoice\u202egpj.exe"})[0] == 200
    go(context, f"?asset={asset}")
    until(lambda: "invoice\ufffdgpj.exe" in text_of(driver, "dialog.viewer h2"), "the title")
    shown = "return document.body.innerText + document.querySelector('dialog').getAttribute('aria-label')"
    until(lambda: "\u202e" not in driver.execute_script(shown), "the mark everywhere")
    assert made.call("PATCH", f"/v1/assets/{asset}", {"title": ""})[0] == 200
    leave_viewer(driver)


def no_favourites(context):
    """D19: empty favourites explain how to add one."""
    with library(context, 0) as (driver, _):
        driver.get(f"{driver.current_url}?view=favorites")
        until(lambda: "No favourites yet" in text_of(driver, "#content"), "what favourites are")
        assert "camera" not in text_of(driver, "#content")
        assert driver.execute_script("return document.querySelector('.empty .icon').getBoundingClientRect().top < innerHeight / 3"), "it stands far below the heading"


def swipe_down(context):
    """D19: on a phone a swipe down closes the viewer."""
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        driver.get(f"{driver.current_url}?asset={tile_ids(driver)[0]}")
        wait(driver, ".viewer .frame")

        def closed():
            if not driver.find_elements("css selector", "dialog.viewer[open]"):
                return True
            x, y = driver.execute_script("const r = document.querySelector('.viewer .stage').getBoundingClientRect(); return [r.left + r.width / 2, r.top + 80]")
            swipe(driver, (x, y), (x, y + 200))
            return gone(driver, "dialog.viewer[open]", 3)
        until(closed, "the viewer to close")


def tools_below_heading(context):
    """On a phone Time-lapse, which wraps below the heading, stands at its edge."""
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        driver.get(f"{driver.current_url}?from=2000-01-01")
        wait(driver, ".title-line .quiet-button")
        heading, tool = driver.execute_script("return ['h1', '.title-line .icon-play'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())")
        assert heading["bottom"] <= tool["top"] and abs(heading["left"] - tool["left"]) < 1, (heading, tool)


def details_on_a_phone(context):
    """On a phone a button ends the details from wherever they are scrolled to, and hands the focus back."""
    with library(context, 40, size=PHONE) as (driver, _):
        photos(driver)
        open_first(driver)
        click(driver, ".viewer button", "Details")
        wait(driver, ".viewer .panel dl")
        driver.execute_script("const panel = document.querySelector('.viewer .panel'); panel.scrollTop = panel.scrollHeight")
        context.shot("details-phone", driver)
        click(driver, ".viewer .panel button", "Hide details")
        until(lambda: driver.execute_script("return document.querySelector('.viewer .panel').hidden"), "the photo alone")
        focused = "const { activeElement: one } = document; return [one.getAttribute('aria-label'), one.ariaExpanded]"
        assert driver.execute_script(focused) == ["Details", "false"], driver.execute_script(focused)


ALL = [edges, far_range, cancelled_choice, range_start, keys_anywhere, page_keys, questions, window_titles, keyword_chip, back_and_space, far_link, search_follows, search_named, odd_links, unreachable_view, failed_months, behind_proxy, login_again, when_and_where, help_by_key, zoom, zoom_resized, slideshow, pinch, long_press, actions_on_a_phone, badge_on_a_phone, names_of_people,
       no_favourites, swipe_down, tools_below_heading, details_on_a_phone]
