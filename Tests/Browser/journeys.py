"""Journeys through gallery and administration, one function each, in the order in which they change the library."""

import urllib.parse

from selenium.webdriver import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browse import FRAMES
from browser import DESKTOP, PHONE, click, gone, named, settled, until, use, wait
from hands import (TILE, await_viewer, choose, click_on, click_tile, fetched, finger, focus, go, hover, leave_viewer, open_first, photos, press, select, swipe,
                   swipe_list, text_of, tile, tile_ids, tiles, until_live, write)
from library import HOSTILE

PLACE_IS_SEEN = """const box = document.querySelector('#places [aria-current]')?.getBoundingClientRect();
    return !box || (box.left >= -1 && box.right <= innerWidth + 1)"""


def log_in(context):
    """A single-use link, and a session that scripts cannot read and other sites cannot use."""
    driver, link = context.driver, context.library.login_link()
    driver.get(context.library.address)
    wait(driver, ".plain .card")
    until(lambda: "tintypectl web login" in driver.page_source, "the way to log in")
    context.shot("login")
    driver.get(link)
    wait(driver, TILE)
    assert "#" not in driver.current_url, driver.current_url
    cookie = driver.get_cookies()[0]
    assert cookie["httpOnly"] and cookie["secure"] and cookie["sameSite"] == "Strict", cookie
    assert cookie["value"] not in driver.page_source
    context.second_login_link = link


def used_link(context):
    """The link does not work a second time, which is said; a person who is logged in already gets to the photos."""
    with context.another_browser() as driver:
        driver.get(context.second_login_link)
        until(lambda: "was used" in driver.page_source, "the refusal")
        assert "Go to the photos" not in driver.page_source and "is wrong" not in driver.page_source
    driver = context.driver
    driver.get(context.second_login_link)
    until(lambda: "was used" in driver.page_source, "the refusal of one who is logged in")
    click(driver, "a", "Go to the photos")
    photos(driver)


def browse(context):
    """The timeline, a photo, its facts, the next photo, and back to the same position."""
    driver = context.driver
    go(context)
    photos(driver)
    count = len(context.library.assets())
    until(lambda: f"{count} photos" in text_of(driver, ".view-heading"), "the count")
    context.shot("gallery")
    open_first(driver)
    assert "asset=" in driver.current_url
    press(driver, "i")
    wait(driver, ".viewer .panel dl")
    context.shot("viewer")
    shown = driver.current_url
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: driver.current_url != shown, "the next picture")
    press(driver, "i", Keys.ESCAPE)
    gone(driver, "dialog.viewer[open]")
    until(lambda: driver.execute_script("return document.activeElement.matches('.tile')"), "the focus to be given back")


def live_photo(context):
    """LIVE plays under the pointer, in the viewer, and with sound when asked."""
    driver = context.driver
    go(context, "?type=live")
    hover(driver, f"{TILE}.live.loaded")
    wait(driver, f"{TILE}.playing video")
    click_on(driver, f"{TILE}.live.loaded")
    wait(driver, ".viewer .full.loaded")
    badge = lambda: click_on(driver, ".viewer .live-badge")
    moment = "const v = document.querySelector('.viewer .frame.playing video'); return v && v.currentTime > 0.2 && v.muted && v.videoWidth > 0"
    until_live(driver, badge, moment, "the movie to move, without sound")
    context.shot("live")
    press(driver, "m")
    until_live(driver, badge, "const v = document.querySelector('.viewer video'); return v && !v.muted", "sound")
    press(driver, Keys.ESCAPE)


def edit_and_merge(context):
    """Local and remote edits both appear without a reload, and the last action can be undone."""
    driver, library = context.driver, context.library
    go(context)
    photos(driver)
    click_tile(driver, tile_ids(driver)[1])
    wait(driver, "dialog.viewer[open]")
    asset = urllib.parse.parse_qs(urllib.parse.urlsplit(driver.current_url).query)["asset"][0]
    path = f"/v1/assets/{asset}"
    press(driver, "f")
    until(lambda: library.get(path)["isFavorite"], "the favourite to be saved")
    press(driver, "4")
    until(lambda: library.get(path)["rating"] == 4, "the rating to be saved")
    assert library.call("PATCH", path, {"caption": f"From elsewhere {HOSTILE}", "addedKeywords": ["hills"]})[0] == 200
    press(driver, "i")
    caption = "return document.querySelector('.panel textarea')?.value ?? ''"
    until(lambda: driver.execute_script(caption).startswith("From elsewhere"), "the other's caption, live")
    now = library.get(path)
    assert now["isFavorite"] and now["rating"] == 4 and now["caption"].startswith("From elsewhere"), now
    context.shot("edited")
    press(driver, "i")
    press(driver, "2")
    undo = "return [...document.querySelectorAll('.notice')].find((one) => one.textContent.includes('Rated 2 stars'))?.querySelector('button')"
    until(lambda: [driver.execute_script(undo).click()], "the way back")
    until(lambda: library.get(path)["rating"] == 4, "the rating to be taken back")
    press(driver, Keys.ESCAPE)


def describe(context):
    """Title, caption, stars and keywords are written in the panel; a keyword goes to several photos at once, and back."""
    driver, library = context.driver, context.library
    # A file without metadata, so that only typed text is shown.
    asset = [one["id"] for one in library.assets() if not one.get("caption") and not one.get("title")][-2]
    path = f"/v1/assets/{asset}"
    now = lambda: library.get(path)
    go(context, f"?asset={asset}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    wait(driver, ".viewer .panel textarea")
    for selector, text, field in ((".panel input[maxlength='512']", "Over the pass", "title"), (".panel textarea", "Clouds until noon.", "caption")):
        write(driver, selector, text, Keys.TAB)
        until(lambda: now().get(field) == text, f"the {field} to be saved")
    write(driver, "[aria-label='Add a keyword']", "pass", Keys.ENTER)
    until(lambda: now()["keywords"] == ["pass"], "the keyword to be saved")
    click(driver, ".panel button", "5 stars")
    until(lambda: now()["rating"] == 5, "the stars to be saved")
    click(driver, ".panel button", "Remove keyword pass")
    until(lambda: now()["keywords"] == [], "the keyword to go")
    press(driver, "i")
    leave_viewer(driver)
    go(context)
    photos(driver)
    chosen = tile_ids(driver)[:3]
    choose(driver, chosen)
    until(lambda: "3 photos selected" in text_of(driver, ".selection-bar"), "three chosen")
    click(driver, ".selection-bar button", "Keyword")
    write(driver, "dialog.ask input", "shelf", Keys.ENTER)
    tagged = lambda: {one["id"] for one in library.assets() if "shelf" in one["keywords"]}
    until(lambda: tagged() == set(chosen), "the keyword on all three")
    click(driver, "button", "Undo")
    until(lambda: tagged() == set(), "the keyword to be taken back from all")


def trash_and_restore(context):
    """Several photos to the trash, and restored; a burst goes and comes as a whole."""
    driver, library = context.driver, context.library
    burst = lambda: [one for one in library.get("/v1/assets?limit=500&bursts=all")["assets"] if "burst" in one]
    go(context)
    photos(driver)
    before, pictures = len(library.assets()), len(burst())
    assert pictures == 4 and any("burst" in one for one in library.assets() if one["id"] in tile_ids(driver)[:2]), "the burst is not among the newest"
    choose(driver, tile_ids(driver)[:2])
    until(lambda: "2 photos selected" in text_of(driver, ".selection-bar"), "two chosen")
    context.shot("chosen")
    click(driver, "button", "Trash")
    until(lambda: len(library.assets()) == before - 2, "two fewer")
    assert burst() == [], "pictures of the burst are left"
    go(context, "?view=trash")
    photos(driver)
    until(lambda: len(tiles(driver)) == 2, "both in the trash")
    choose(driver, tile_ids(driver))
    click(driver, "button", "Restore")
    until(lambda: len(library.assets()) == before and len(burst()) == pictures, "all of them again")
    until(lambda: "The trash is empty" in driver.page_source, "an empty trash")


def albums(context):
    """An album is made, filled, opened and renamed, with a hostile title."""
    driver, library = context.driver, context.library
    go(context, "?view=albums")
    click(driver, "button", "New album")
    write(driver, "dialog.ask input", "Hills", Keys.ENTER)
    until(lambda: "This album is empty" in driver.page_source, "the empty album")
    album = library.get("/v1/albums")["albums"][0]["album"]["id"]
    go(context)
    photos(driver)
    choose(driver, tile_ids(driver)[2:5])
    until(lambda: "3 photos selected" in text_of(driver, ".selection-bar"), "three chosen")
    click(driver, ".selection-bar button", "Album")
    click(driver, "dialog button", "Hills")
    until(lambda: len(library.album_order(album)) == 3, "three in the album")
    go(context, "?view=albums")
    wait(driver, ".covers img")
    context.shot("albums")
    click_on(driver, ".covers button")
    until(lambda: len(tiles(driver)) == 3, "the album's photos")
    click(driver, "button", "Rename")
    use(driver, "dialog.ask input", lambda field: driver.execute_script("arguments[0].value = arguments[1]", field, HOSTILE))
    click(driver, "dialog button", "Save")
    until(lambda: text_of(driver, "h1").startswith('"><img'), "the hostile title as text")


def album_order(context):
    """An album's photos are reordered by mouse, keys and buttons, each with undo."""
    driver, library = context.driver, context.library
    ids = [asset["id"] for asset in library.assets()[:5]]
    album = library.add_album("In order", ids)
    go(context, f"?view=album&id={album}")
    until(lambda: tile_ids(driver) == ids, "the album as it was put together")
    until(lambda: len(driver.find_elements(By.CSS_SELECTOR, f"{TILE}.loaded")) == 5, "its pictures")
    use(driver, f'.tile[data-id="{ids[3]}"]', lambda one: ActionChains(driver).click_and_hold(one).move_by_offset(12, 4).perform())

    def hovers():
        """Moves the dragged photo repeatedly, as a hand does, until the page shows the drop position."""
        first = tile(driver, ids[0])
        ActionChains(driver).move_to_element_with_offset(first, 10 - first.size["width"] // 2, 0).move_by_offset(1, 0).perform()
        return driver.find_elements(By.CSS_SELECTOR, f'.drop-before[data-id="{ids[0]}"]')

    until(hovers, "the place in front of the first photo")
    ActionChains(driver).release().perform()
    dragged = [ids[3], ids[0], ids[1], ids[2], ids[4]]
    until(lambda: library.album_order(album) == dragged, "the dragged photo in front")
    until(lambda: tile_ids(driver) == dragged, "the new order on the page")
    click(driver, "button", "Undo")
    until(lambda: library.album_order(album) == ids, "the move to be taken back")
    until(lambda: tile_ids(driver) == ids, "the old order on the page")
    focus(driver, f".tile[data-id='{ids[0]}']")
    ActionChains(driver).key_down(Keys.ALT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.ALT).perform()
    keyed = [ids[1], ids[0], *ids[2:]]
    until(lambda: library.album_order(album) == keyed, "the photo one place on, by keys")
    until(lambda: driver.execute_script("return document.activeElement.dataset.id") == ids[0], "the focus on it")
    choose(driver, [ids[3], ids[4]])
    click(driver, ".selection-bar button", "Earlier")
    until(lambda: library.album_order(album) == [ids[1], ids[0], ids[3], ids[4], ids[2]], "two photos one place earlier")
    select(driver, ".title-line select", "Newest first")
    newest = [asset["id"] for asset in library.assets() if asset["id"] in ids]
    until(lambda: tile_ids(driver) == newest, "the newest first")
    assert not driver.find_elements(By.CSS_SELECTOR, ".tile[draggable=true]"), "dates cannot be dragged"


def filters(context):
    """The filter is in the address: it survives a reload, and no match is shown as such."""
    driver = context.driver
    go(context)
    photos(driver)
    until(lambda: driver.find_elements(By.CSS_SELECTOR, ".filters select"), "the fields of the filter")
    driver.execute_script("const s = document.querySelector('.filters select'); s.value = 'live'; s.dispatchEvent(new Event('change'))")
    until(lambda: "type=live" in driver.current_url, "the address")
    until(lambda: len(tiles(driver)) == 1, "one Live Photo")
    driver.refresh()
    until(lambda: len(tiles(driver)) == 1, "one Live Photo after a reload")
    go(context, "?text=nosuchword")
    until(lambda: "Nothing matches" in driver.page_source, "the empty answer")
    context.shot("nothing-matches")
    click(driver, "button", "Clear the search")
    wait(driver, TILE)


def approve(context):
    """A waiting device gets a selection of five photos, and sees exactly these."""
    driver, library = context.driver, context.library
    code = library.newcomer(f"north {HOSTILE[:60]}")
    go(context, "?view=inbox")
    wait(driver, ".card .code")
    until(lambda: text_of(driver, ".card .code") == code, f"the code {code} that the device shows")
    context.shot("inbox")
    click(driver, "button.answer", "Selected")
    photos(driver)
    until(lambda: "sees" in text_of(driver, "h1"), "the selection's page")
    for asset in tile_ids(driver)[:5]:
        click_tile(driver, asset)
    until(lambda: "5 photos for" in text_of(driver, ".selection-bar"), "five chosen")
    context.shot("selection")
    stops = "return [...document.querySelectorAll('.selection-bar button')].map((one) => one.tabIndex)"
    assert driver.execute_script(stops) == [0, 0], "“Cancel” and “Save selection” are one tab stop"
    click(driver, "button", "Save selection")
    device = next(one for one in library.get("/v1/admin/devices")["devices"] if one["name"].startswith("north"))
    until(lambda: len(library.get(f"/v1/admin/selections/{device['id']}")["assets"]) == 5, "the selection to be saved")
    assert library.get(f"/v1/admin/devices/{device['id']}")["authorization"]["readWrite"] == "limited"
    until(lambda: "a selection" in driver.page_source, "the device's page")
    context.shot("device")
    click(driver, "button", "Revoke")
    click(driver, "dialog button", "Revoke")
    until(lambda: library.get(f"/v1/admin/devices/{device['id']}")["state"] == "revoked", "the revocation")


def numbers(driver):
    """What the health page counts."""
    return driver.execute_script("return [...document.querySelectorAll('.numbers li')].map((one) => one.textContent)")


def administration(context):
    """Devices, health, audit and sessions show their content."""
    driver = context.driver
    for view, sign in (("devices", "gate"), ("health", "no problems"), ("audit", "enrol"), ("sessions", "Logged in")):
        go(context, f"?view={view}")
        if view == "health":
            click(driver, "button", "Compare every byte")
            devices = context.library.get("/v1/admin/library/statistics")["devices"]
            assert f"{devices}device{'' if devices == 1 else 's'}" in numbers(driver), numbers(driver)
        until(lambda: sign in text_of(driver, "#content"), f"{sign} in {view}")
        context.shot(view)


def keyboard(context):
    """The whole gallery by keyboard."""
    driver = context.driver
    go(context)
    photos(driver)
    press(driver, Keys.TAB)
    assert driver.execute_script("return document.activeElement.className") == "skip"
    for _ in range(40):
        press(driver, Keys.TAB)
        if driver.execute_script("return document.activeElement.matches('.tile')"):
            break
    else:
        raise AssertionError("Tab never reaches the photos")
    label = "return document.activeElement.dataset.id"
    first = driver.execute_script(label)
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: driver.execute_script(label) != first, "the next photo")
    press(driver, Keys.ARROW_LEFT)
    until(lambda: driver.execute_script(label) == first, "the first photo again")
    press(driver, Keys.ENTER)
    wait(driver, "dialog.viewer[open]")
    press(driver, Keys.ESCAPE)
    until(lambda: driver.execute_script(label) == first, "the focus to come back")
    press(driver, " ")
    until(lambda: "1 photo selected" in text_of(driver, ".selection-bar"), "one chosen")
    press(driver, Keys.ESCAPE, Keys.END)
    until(lambda: driver.execute_script(label) not in (None, first), "the oldest photo")
    seen = "const r = document.activeElement.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight"
    until(lambda: driver.execute_script(seen), "the oldest photo to be seen")


def reduced_motion(context):
    """With reduced motion nothing plays or fades by itself, only on demand."""
    with context.another_browser(reduced_motion=True) as driver:
        context.enter(driver)
        go(context, "?type=live", driver)
        # What would begin in a moment begins at once.
        driver.execute_script("""
            const later = setTimeout.bind(window);
            window.setTimeout = (step, delay, ...more) => later(step, delay < 1000 ? 0 : delay, ...more);""")
        hover(driver, f"{TILE}.live.loaded")
        wait(driver, f"{TILE}.live:hover")
        driver.execute_async_script(FRAMES)
        assert not driver.find_elements(By.CSS_SELECTOR, ".tile video"), "it plays by itself"
        moving = """return [...document.querySelectorAll('*')].filter((one) => [getComputedStyle(one).transitionDuration, getComputedStyle(one).animationDuration]
            .some((text) => text.split(',').some((part) => parseFloat(part) > 0.001))).length"""
        assert driver.execute_script(moving) == 0, "something fades or moves"
        click_on(driver, f"{TILE}.live.loaded")
        playing = "return document.querySelector('.viewer .frame.playing video')"
        until_live(driver, lambda: click_on(driver, ".viewer .live-badge"), playing, "the movie to play when it is asked for")
        leave_viewer(driver)


def focus_order(context):
    """Tab follows reading order, every stop is visible, and a dialog traps and returns the focus."""
    driver = context.driver
    stop = """const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one.closest('.day') ?? one);
        return { name: one.getAttribute('aria-label') ?? (one.textContent || one.outerHTML.slice(0, 80)), isSeen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
            && box.width > 0 && box.bottom > 0 && box.top < innerHeight,
            part: ['.skip', '#top', '#places', '.view-heading', '.canvas', '.scrubber'].findIndex((part) => one.closest(part)), isPage: one === document.body }"""
    for view in ("", "?view=albums", "?view=devices", "?view=health"):
        go(context, view)
        wait(driver, "h1")
        until(lambda: "Loading" not in text_of(driver, "#content"), view)
        if not view:
            photos(driver)
        stops = []
        for _ in range(80):
            press(driver, Keys.TAB)
            now = driver.execute_script(stop)
            if now["isPage"]:
                break
            assert now["isSeen"], f"{view}: the focus on “{now['name']}” cannot be seen"
            stops.append(now)
        else:
            raise AssertionError(f"{view}: Tab never comes to an end")
        parts = [one["part"] for one in stops if one["part"] >= 0]
        assert stops[0]["part"] == 0 and parts == sorted(parts), f"{view}: the order is {[one['name'] for one in stops]}"
    go(context)
    photos(driver)
    open_first(driver)
    for _ in range(25):
        press(driver, Keys.TAB)
        inside = "return document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))"
        assert driver.execute_script(inside), "the focus left the dialog"
    focus(driver, "[aria-label=Favourite]")
    press(driver, Keys.ENTER)
    until(lambda: "favourite" in text_of(driver, "#notices"), "the favourite")
    focused = "return document.activeElement.getAttribute('aria-label')"
    until(lambda: driver.execute_script(focused) == "Favourite", "the focus to stay after an act")
    click(driver, "button", "Undo")
    press(driver, Keys.ESCAPE)
    until(lambda: driver.execute_script("return document.activeElement.matches('.tile')"), "the focus to be given back")


def offline(context):
    """Without the server the page says so, and recovers by itself."""
    driver = context.driver
    go(context)
    photos(driver)
    network = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    await_viewer(driver)
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    click_tile(driver, tile_ids(driver)[0])
    wait(driver, "dialog.viewer[open]")
    press(driver, "f")
    until(lambda: "cannot be reached" in text_of(driver, "#notices"), "the notice")
    context.shot("offline")
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**network, "offline": False})
    press(driver, "f")
    until(lambda: "favourite" in text_of(driver, "#notices"), "the page to go on by itself")
    leave_viewer(driver)
    driver.get_log("browser")  # What failed meanwhile was meant to.


def facts(context):
    """The viewer shows how a photo was taken, and offers a copy without location."""
    driver = context.driver
    go(context, "?type=live")
    photos(driver)
    # The panel shows the device's name once the list of devices is loaded.
    until(lambda: driver.find_elements(By.CSS_SELECTOR, ".filters [aria-label='Any device']"), "the list of devices")
    open_first(driver)
    press(driver, "i")
    wait(driver, ".viewer .panel dl")
    for sign in ("Trigger", "Lag", "the trigger", "Clock", "synchronised", "Since boot", "gate", "Motion Photo", "Live Photo"):
        until(lambda: sign in text_of(driver, ".viewer .panel"), f"{sign} in the panel")
    click(driver, ".panel summary", "History")
    until(lambda: "saved to the library" in text_of(driver, ".history"), "the history")
    assert "gate" in text_of(driver, ".history") and "device " not in text_of(driver, ".history"), text_of(driver, ".history")
    click(driver, ".panel summary", "Receipt")
    until(lambda: "signed that every file" in text_of(driver, ".viewer .panel"), "the receipt")
    context.shot("facts")
    leave_viewer(driver)
    asset = next(one for one in context.library.assets() if one.get("location"))
    go(context, f"?asset={asset['id']}")
    link = until(lambda: wait(driver, ".panel .file[href*='strip=location']").get_attribute("href"), "the link without the place")
    whole = fetched(driver, link.split("?")[0])
    stripped = fetched(driver, link)
    assert whole["status"] == stripped["status"] == 200
    assert context.has_location(whole["bytes"]) and not context.has_location(stripped["bytes"])
    assert whole["headers"]["x-content-type-options"] == "nosniff", whole["headers"]
    leave_viewer(driver)
    driver.execute_script("sessionStorage.clear()")


def burst(context):
    """A burst is one stack in the grid; the viewer shows all its pictures."""
    driver = context.driver
    go(context, "?type=bursts")
    until(lambda: len(tiles(driver)) == 1, "one stack")
    wait(driver, f"{TILE}.stack.loaded")
    open_first(driver)
    press(driver, "i")
    until(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".viewer .burst img")) == 4, "the burst's four pictures")
    names = driver.execute_script("return [...document.querySelectorAll('.viewer .burst button')].map((one) => one.getAttribute('aria-label'))")
    assert names == [f"Picture {number} of 4" for number in (1, 2, 3, 4)], names
    # Other cameras' bursts of the same minutes would fill the list.
    asked = driver.execute_script("return performance.getEntriesByType('resource').map((one) => decodeURIComponent(one.name)).find((one) => one.includes('bursts=all'))")
    device = next(one["deviceID"] for one in context.library.assets() if "burst" in one)
    assert f'{{"device":"{device}"}}' in asked, asked
    context.shot("burst")
    shown = text_of(driver, ".panel dl")
    until(lambda: [driver.find_elements(By.CSS_SELECTOR, ".viewer .burst button")[3].click()], "the fourth of the burst to be clicked")
    until(lambda: text_of(driver, ".panel dl") not in ("", shown), "another picture of the burst")
    press(driver, "i")
    leave_viewer(driver)


def touch(context):
    """A phone: a tap opens, swipes navigate and close, a long press selects, lists scroll."""
    with context.another_browser(size=PHONE) as driver:
        context.enter(driver)
        photos(driver)
        first, second = tile_ids(driver)[:2]

        def points(selector):
            box = driver.execute_script("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.left, r.top, r.width, r.height]", selector)
            return box[0] + box[2] / 2, box[1] + box[3] / 2

        def opened():
            if driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]"):
                return True
            # On a busy machine a tap can last as long as a long press.
            if "selected" in text_of(driver, ".selection-bar"):
                click(driver, "button", "Clear selection")
            tap = ActionBuilder(driver, mouse=PointerInput("touch", "finger"))
            tap.pointer_action.move_to(tile(driver, first)).pointer_down().pointer_up()
            tap.perform()
            return wait(driver, "dialog.viewer[open]", 5)

        until(opened, "a tap to open the picture")
        until(lambda: first in driver.current_url, "the first picture")
        stage = points(".viewer .stage")
        swipe(driver, (stage[0] + 120, stage[1]), (stage[0] - 120, stage[1]))
        until(lambda: second in driver.current_url, "the second picture after a swipe")
        context.shot("touch-viewer", driver)

        def closed():
            # The first tap after a fast swipe may only stop the fling.
            if driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]"):
                named(driver, "button", "Close").click()
            return not driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]")

        until(closed, "the viewer to close")
        x, y = points(f'.tile[data-id="{first}"]')
        finger(driver, "Start", x, y)
        until(lambda: "1 photo selected" in text_of(driver, ".selection-bar"), "a long press to choose")
        finger(driver, "End")
        context.shot("touch-chosen", driver)
        before = driver.execute_script("return document.querySelector('.scroller').scrollTop")
        swipe_list(driver, (200, 700), (200, 300), before)


def widths(context):
    """From 320 to 2560 pixels nothing is clipped or scrolls sideways."""
    for size in ((320, 640), (768, 1024), (2560, 1440)):
        with context.another_browser(size=size) as driver:
            context.enter(driver)
            for view in ("", "?view=albums", "?view=inbox", "?view=devices", "?view=health", "?view=audit", "?view=sessions"):
                go(context, view, driver)
                wait(driver, "h1")
                until(lambda: "Loading" not in text_of(driver, "#content"), f"{view} at {size}")
                wide = driver.execute_script("return [document.documentElement.scrollWidth, document.querySelector('#content').scrollWidth - document.querySelector('#content').clientWidth, innerWidth]")
                assert wide[0] <= wide[2] and wide[1] <= 1, f"{view or 'photos'} at {size[0]}: {wide}"
            go(context, "", driver)
            photos(driver)
            context.shot(f"width-{size[0]}", driver)


def hostile(context):
    """Hostile names, captions and titles are shown; none does anything, and nothing is fetched from elsewhere."""
    driver, library = context.driver, context.library
    asset = library.assets()[0]
    status, answer = library.call("PATCH", f"/v1/assets/{asset['id']}", {"title": HOSTILE, "caption": HOSTILE, "addedKeywords": [HOSTILE[:60]]})
    assert status == 200, answer
    library.add_album(HOSTILE, [asset["id"]])
    library.admit(f"south {HOSTILE[:60]}", "south", "none")
    views = {"": "", "?view=albums": HOSTILE[:20], "?view=devices": HOSTILE[:20], "?view=audit": "", "?view=sessions": "",
             f"?asset={asset['id']}": "", f"?text={urllib.parse.quote(HOSTILE)}": "", f"?keyword={urllib.parse.quote(HOSTILE[:60])}": ""}
    for view, sign in views.items():
        go(context, view)
        wait(driver, "h1")
        until(lambda: sign in text_of(driver, "#content"), f"the hostile name as text in {view}")
        if "asset=" in view:
            wait(driver, "dialog.viewer[open]")
            press(driver, "i")
            until(lambda: HOSTILE[:60] in text_of(driver, ".panel .keywords"), "the hostile keyword as text")
            context.shot("hostile")
        assert driver.execute_script("return window.hostile") is None
        assert driver.execute_script("return document.querySelectorAll('img[onerror], main script').length") == 0
        origins = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => new URL(entry.name).origin)")
        assert set(origins) <= {library.address}, set(origins)
    driver.execute_script("sessionStorage.clear()")


def protection(context):
    """Other sites can neither frame the page nor act through it; addresses contain no secret; content types are correct."""
    driver, library = context.driver, context.library
    go(context)
    photos(driver)
    asset = tile_ids(driver)[0]
    forged = driver.execute_async_script("""
        const [path, done] = arguments;
        fetch(path, { method: 'DELETE' }).then((answer) => done(answer.status));
    """, f"/v1/assets/{asset}")
    assert forged == 403, f"a change without the token is answered {forged}"
    assert library.get(f"/v1/assets/{asset}").get("trashedAt") is None
    addresses = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not [one for one in addresses if "secret" in one or "token=" in one or "csrf" in one.lower()], addresses
    resource = library.get(f"/v1/assets/{asset}")["resources"][0]
    answer = fetched(driver, f"/v1/assets/{asset}/resources/{resource['id']}")
    assert answer["headers"]["x-content-type-options"] == "nosniff"
    for way in ("document.createElement('img').setAttribute('onerror', 'x')", "document.body.innerHTML = '<b>x</b>'",
                "setTimeout('window.hostile = 1')"):
        refusal = driver.execute_script(f"try {{ {way}; return 'it was done' }} catch (error) {{ return error.message }}")
        assert "Trusted" in refusal, f"{way}: {refusal}"
    driver.get_log("browser")  # The policy said so there too; that was the question.
    with context.another_browser() as other:
        for page in ("", "login", "pick/00000000"):
            other.get(f"data:text/html,<iframe id=f src='{library.address}/{page}'></iframe>")
            other.switch_to.frame("f")
            until(lambda: other.execute_script("return location.protocol") == "chrome-error:", f"the frame of /{page} to be refused")


def looks(context):
    """Every page in light and dark, on a desktop and a phone, passes the accessibility audits; screenshots are kept."""
    library = context.library
    device = next(one["id"] for one in library.get("/v1/admin/devices")["devices"] if one["state"] == "active")
    library.newcomer("west wall", folder="west")
    album = library.add_album(f"Looks {HOSTILE}", [one["id"] for one in library.assets()[:3]])
    pages = {"photos": "", "album": f"?view=album&id={album}", "albums": "?view=albums",
             "inbox": "?view=inbox", "devices": "?view=devices", "device": f"?view=devices&id={device}", "select": f"?view=select&id={device}",
             "health": "?view=health", "audit": "?view=audit", "sessions": "?view=sessions", "trash": "?view=trash", "viewer": "?type=live"}
    findings = []
    for size, dark in ((DESKTOP, False), (DESKTOP, True), (PHONE, False), (PHONE, True)):
        with context.another_browser(size=size, dark=dark) as driver:
            name = f"{'phone' if size == PHONE else 'desktop'}-{'dark' if dark else 'light'}"

            def look(page):
                settled(driver)
                context.shot(f"{page}-{name}", driver)
                # axe takes a second per page, so each size and each theme runs it once.
                findings.extend(f"{page} {name}: {one}" for one in context.audit(driver, deeply=(size == DESKTOP) != dark))

            driver.get(f"{library.address}/login")
            click(driver, "summary", "password")
            look("login")
            context.enter(driver)
            for page, address in pages.items():
                driver.get(f"{library.address}/{address}")
                wait(driver, "h1")
                if page in ("photos", "album", "viewer", "select"):
                    photos(driver)
                if page == "viewer":
                    open_first(driver)
                    press(driver, "i")
                    wait(driver, ".viewer .panel dl")
                until(lambda: "Loading" not in text_of(driver, "#content"), f"{page} in {name}")
                assert driver.execute_script(PLACE_IS_SEEN), f"{page} in {name}: the place where one is lies outside the window"
                look(page)
            look_at_picker(context, driver, look)
    assert not findings, "\n".join(findings)


def look_at_picker(context, driver, look):
    """The picker's steps, for the same audits."""
    wish = {"purpose": "A calendar for the hall.", "selectionLimit": 4, "isOrdered": True}
    status, session = context.library.call("POST", "/v1/picker/sessions", wish)
    assert status == 201, session
    uri = urllib.parse.urlsplit(session["pickURI"])
    driver.get(f"{context.library.address}{uri.path}#{uri.fragment}")
    photos(driver)
    for asset in tile_ids(driver)[:3]:
        click_tile(driver, asset)
    until(lambda: "3 of 4" in text_of(driver, "#badge"), "three chosen")
    look("picker")
    click(driver, "button", "Review")
    wait(driver, ".covers img")
    look("picker-review")
    until(lambda: session["code"] in text_of(driver, "#badge"), "the review to say for whom it is")
    click(driver, "button", "Cancel")
    until(lambda: "Nothing was handed over" in text_of(driver, "#content"), "the end")
    look("picker-end")


def log_out(context):
    """The session ends for good."""
    driver = context.driver
    go(context)
    click(driver, "button", "Log out")
    wait(driver, ".plain .card")
    go(context)
    until(lambda: "tintypectl web login" in driver.page_source, "the login page")


BEFORE = [log_in, used_link, browse, live_photo, facts, burst, edit_and_merge, describe, trash_and_restore, albums, album_order, filters,
          approve, administration]
AFTER = [keyboard, focus_order, reduced_motion, touch, widths, hostile, protection, looks, offline, log_out]
