"""What people do with the page, one function a journey, in the order in which the library changes."""

import json
import time
import urllib.parse

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import DESKTOP, PHONE, gone, named, until, wait
from library import HOSTILE

TILE = ".row.tiles .tile"


def tiles(driver):
    return driver.find_elements(By.CSS_SELECTOR, TILE)


def press(driver, *keys):
    for key in keys:
        ActionChains(driver).send_keys(key).perform()


def go(context, query=""):
    context.driver.get(f"{context.library.address}/{query}")


def choose(driver, tile):
    """Chooses a picture without opening it."""
    ActionChains(driver).key_down(Keys.CONTROL).click(tile).key_up(Keys.CONTROL).perform()


def go(context, query=""):
    context.driver.get(f"{context.library.address}/{query}")


def choose(driver, tile):
    """Chooses a picture without opening it."""
    ActionChains(driver).key_down(Keys.CONTROL).click(tile).key_up(Keys.CONTROL).perform()


def open_named(driver, part):
    """Opens the first picture whose accessible name contains a text."""
    tile = until(lambda: next((one for one in tiles(driver) if part in one.get_attribute("aria-label")), None), f"a tile named {part}")
    tile.click()
    return wait(driver, "dialog.viewer[open]")


def log_in(context):
    """A link that works once; a session that scripts cannot read and other sites cannot use."""
    driver, link = context.driver, context.library.login_link()
    driver.get(context.library.address)
    wait(driver, ".plain .card")
    until(lambda: "tintypectl web login" in driver.page_source, "the way to log in")
    context.shot("login")
    driver.get("about:blank")
    driver.get(link)
    wait(driver, TILE)
    assert "#" not in driver.current_url, driver.current_url
    cookie = driver.get_cookies()[0]
    assert cookie["httpOnly"] and cookie["secure"] and cookie["sameSite"] == "Strict", cookie
    assert cookie["value"] not in driver.page_source
    context.second_login_link = link


def used_link(context):
    """The link does not work a second time."""
    with context.another_browser() as driver:
        driver.get(context.second_login_link)
        until(lambda: "was used" in driver.page_source, "the refusal")


def browse(context):
    """The timeline, a picture, its facts, the next one, and back to where one was."""
    driver = context.driver
    go(context)
    wait(driver, f"{TILE}.loaded")
    count = len(context.library.assets())
    until(lambda: f"{count} photos" in driver.find_element(By.CSS_SELECTOR, ".view-heading").text, "the count")
    context.shot("gallery")
    first = tiles(driver)[0]
    first.click()
    wait(driver, ".viewer .full.loaded, .viewer video")
    assert "asset=" in driver.current_url
    press(driver, "i")
    wait(driver, ".viewer .panel dl")
    context.shot("viewer")
    shown = driver.current_url
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: driver.current_url != shown, "the next picture")
    press(driver, "i", Keys.ESCAPE)
    gone(driver, "dialog.viewer[open]")
    assert driver.execute_script("return document.activeElement.matches('.tile')")


def live_photo(context):
    """LIVE plays under the pointer, in the viewer, and with sound when asked."""
    driver = context.driver
    go(context, "?type=live")
    tile = wait(driver, f"{TILE}.live.loaded")
    ActionChains(driver).move_to_element(tile).perform()
    wait(driver, f"{TILE}.playing video")
    tile.click()
    wait(driver, ".viewer .full.loaded")
    wait(driver, ".viewer .live-badge").click()
    wait(driver, ".viewer .frame.playing video")
    moment = "const v = document.querySelector('.viewer video'); return v && v.currentTime > 0.2 && v.muted && v.videoWidth > 0"
    until(lambda: driver.execute_script(moment), "the movie to move, without sound")
    context.shot("live")
    press(driver, "m")
    until(lambda: driver.execute_script("const v = document.querySelector('.viewer video'); return v && !v.muted"), "sound")
    press(driver, Keys.ESCAPE)


def edit_and_merge(context):
    """Edits from here and from elsewhere meet; each is seen without a reload, and the last act can be taken back."""
    driver, library = context.driver, context.library
    go(context)
    wait(driver, f"{TILE}.loaded")
    tiles(driver)[1].click()
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
    until(lambda: driver.execute_script(caption).startswith("From elsewhere"), "the other's caption, live", 30)
    now = library.get(path)
    assert now["isFavorite"] and now["rating"] == 4 and now["caption"].startswith("From elsewhere"), now
    context.shot("edited")
    press(driver, "i")
    named(driver, "button", "Undo").click()
    until(lambda: library.get(path)["rating"] == 0, "the rating to be taken back")
    press(driver, Keys.ESCAPE)


def trash_and_restore(context):
    """Several at once into the trash, and back out of it."""
    driver, library = context.driver, context.library
    go(context)
    wait(driver, f"{TILE}.loaded")
    before = len(library.assets())
    for tile in tiles(driver)[:2]:
        choose(driver, tile)
    until(lambda: "2 photos chosen" in driver.find_element(By.CSS_SELECTOR, ".selection-bar").text, "two chosen")
    context.shot("chosen")
    named(driver, "button", "Trash").click()
    until(lambda: len(library.assets()) == before - 2, "two fewer")
    go(context, "?view=trash")
    wait(driver, f"{TILE}.loaded")
    assert len(tiles(driver)) == 2
    wait(driver, ".row.heading .choose-all")
    press(driver, Keys.TAB)
    for tile in tiles(driver):
        choose(driver, tile)
    named(driver, "button", "Restore").click()
    until(lambda: len(library.assets()) == before, "all of them again")
    until(lambda: "The trash is empty" in driver.page_source, "an empty trash")


def albums(context):
    """An album is made, filled, opened and renamed, with a hostile title."""
    driver, library = context.driver, context.library
    go(context, "?view=albums")
    named(driver, "button", "New album").click()
    wait(driver, "dialog.ask input").send_keys("Hills")
    press(driver, Keys.ENTER)
    until(lambda: "This album is empty" in driver.page_source, "the empty album")
    go(context)
    wait(driver, f"{TILE}.loaded")
    for tile in tiles(driver)[2:5]:
        choose(driver, tile)
    until(lambda: "3 photos chosen" in driver.find_element(By.CSS_SELECTOR, ".selection-bar").text, "three chosen")
    named(driver, "button", "Album").click()
    named(driver, "dialog button", "Hills").click()
    until(lambda: library.get("/v1/albums")["albums"][0]["assetCount"] == 3, "three in the album")
    go(context, "?view=albums")
    wait(driver, ".covers img")
    context.shot("albums")
    wait(driver, ".covers button").click()
    until(lambda: len(tiles(driver)) == 3, "the album's photos")
    named(driver, "button", "Rename").click()
    field = wait(driver, "dialog.ask input")
    field.clear()
    driver.execute_script("arguments[0].value = arguments[1]", field, HOSTILE)
    named(driver, "dialog button", "Save").click()
    until(lambda: driver.find_element(By.CSS_SELECTOR, "h1").text.startswith('"><img'), "the hostile title as text")


def filters(context):
    """The filter is the address: it survives a reload, and nothing that matches is an answer too."""
    driver = context.driver
    go(context)
    wait(driver, f"{TILE}.loaded")
    driver.execute_script("const s = document.querySelector('.filters select'); s.value = 'live'; s.dispatchEvent(new Event('change'))")
    until(lambda: "type=live" in driver.current_url, "the address")
    until(lambda: len(tiles(driver)) == 1, "one Live Photo")
    driver.refresh()
    until(lambda: len(tiles(driver)) == 1, "one Live Photo after a reload")
    go(context, "?text=nosuchword")
    until(lambda: "Nothing matches" in driver.page_source, "the empty answer")
    context.shot("nothing-matches")
    named(driver, "button", "Clear the filter").click()
    wait(driver, TILE)


def approve(context):
    """A device waits with its code; it gets a selection of five photos, and sees exactly these."""
    driver, library = context.driver, context.library
    code = library.newcomer(f"north {HOSTILE[:60]}")
    go(context, "?view=inbox")
    shown = wait(driver, ".card .code").text
    assert shown == code, f"the page shows {shown}, the device {code}"
    context.shot("inbox")
    named(driver, "button.answer", "Selected").click()
    wait(driver, f"{TILE}.loaded")
    until(lambda: "sees" in driver.find_element(By.CSS_SELECTOR, "h1").text, "the selection's page")
    for tile in tiles(driver)[:5]:
        tile.click()
    until(lambda: "5 photos for" in driver.find_element(By.CSS_SELECTOR, ".selection-bar").text, "five chosen")
    context.shot("selection")
    named(driver, "button", "Save selection").click()
    device = next(one for one in library.get("/v1/admin/devices")["devices"] if one["name"].startswith("north"))
    until(lambda: len(library.get(f"/v1/admin/selections/{device['id']}")["assets"]) == 5, "the selection to be saved")
    assert library.get(f"/v1/admin/devices/{device['id']}")["authorization"]["readWrite"] == "limited"
    until(lambda: "a selection" in driver.page_source, "the device's page")
    context.shot("device")
    named(driver, "button", "Revoke").click()
    named(driver, "dialog button", "Revoke").click()
    until(lambda: library.get(f"/v1/admin/devices/{device['id']}")["state"] == "revoked", "the revocation")


def administration(context):
    """Devices, health, audit and sessions each show what there is."""
    driver = context.driver
    for view, sign in (("devices", "gate"), ("health", "all is well"), ("audit", "enrol"), ("sessions", "Logged in")):
        go(context, f"?view={view}")
        if view == "health":
            named(driver, "button", "Compare every byte").click()
        until(lambda: sign in driver.find_element(By.ID, "content").text, f"{sign} in {view}")
        context.shot(view)


def picker(context):
    """Somebody without access asks for two photos, and gets exactly these and no place."""
    driver, library = context.driver, context.library
    status, session = library.call("POST", "/v1/picker/sessions", {
        "purpose": f"A calendar for the hall. {HOSTILE}", "selectionLimit": 2, "isOrdered": True, "filter": "images"})
    assert status == 201, session
    uri = urllib.parse.urlsplit(session["pickURI"])
    driver.get(f"{library.address}{uri.path}#{uri.fragment}")
    wait(driver, f"{TILE}.loaded")
    assert "#" not in driver.current_url
    badge = driver.find_element(By.ID, "badge").text
    assert session["code"] in badge and "A calendar for the hall" in badge and "receives only what you choose" in badge, badge
    for tile in tiles(driver)[:3]:
        tile.click()
    until(lambda: "At most 2 photos" in driver.page_source, "the limit")
    until(lambda: "2 of 2" in driver.find_element(By.ID, "badge").text, "two chosen")
    chosen = driver.execute_script("return [...document.querySelectorAll('.tile.chosen')].map((one) => one.dataset.id)")
    context.shot("picker")
    named(driver, "button", "Review").click()
    wait(driver, ".covers img")
    context.shot("picker-review")
    named(driver, "button", "Hand over").click()
    until(lambda: "Handed over" in driver.page_source, "the end")
    context.shot("picker-done")
    items = library.get(f"/v1/picker/sessions/{session['id']}/items")["items"]
    assert sorted(one["id"] for one in items) == sorted(chosen), items
    driver.refresh()
    until(lambda: "ended" in driver.page_source or "Handed over" in driver.page_source, "the link to be dead")


def keyboard(context):
    """Everything of the gallery without a pointer."""
    driver = context.driver
    go(context)
    wait(driver, f"{TILE}.loaded")
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
    press(driver, Keys.ARROW_LEFT, Keys.ENTER)
    wait(driver, "dialog.viewer[open]")
    press(driver, Keys.ESCAPE)
    until(lambda: driver.execute_script(label) == first, "the focus to come back")
    press(driver, " ")
    until(lambda: "1 photo chosen" in driver.find_element(By.CSS_SELECTOR, ".selection-bar").text, "one chosen")
    press(driver, Keys.ESCAPE, Keys.END)
    until(lambda: driver.execute_script(label) not in (None, first), "the oldest photo")
    assert driver.execute_script("const r = document.activeElement.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight")


def offline(context):
    """Without the server the page says so, and goes on by itself."""
    driver = context.driver
    go(context)
    wait(driver, f"{TILE}.loaded")
    network = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    time.sleep(1)  # The viewer is fetched after the photos.
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    tiles(driver)[0].click()
    wait(driver, "dialog.viewer[open]")
    press(driver, "f")
    until(lambda: "cannot be reached" in driver.find_element(By.ID, "notices").text, "the notice")
    context.shot("offline")
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**network, "offline": False})
    press(driver, Keys.ESCAPE)
    driver.get_log("browser")  # What failed meanwhile was meant to.


def hostile(context):
    """Hostile names, captions and titles were all shown by now; none did anything, and nothing was fetched elsewhere."""
    driver, library = context.driver, context.library
    for view in ("", "?view=albums", "?view=devices", "?view=audit", "?view=sessions"):
        go(context, view)
        time.sleep(1)
        assert driver.execute_script("return window.hostile") is None
        assert driver.execute_script("return document.querySelectorAll('img[onerror], main script').length") == 0
        origins = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => new URL(entry.name).origin)")
        assert set(origins) <= {library.address}, set(origins)
    framed = f"data:text/html,<iframe id=f src='{library.address}/'></iframe>"
    with context.another_browser() as other:
        other.get(framed)
        time.sleep(1)
        other.switch_to.frame("f")
        assert not other.find_elements(By.ID, "places"), "the page was framed"


def looks(context):
    """Every page in light and dark, on a desktop and a phone, past the audit of accessibility; the pictures are kept."""
    findings = []
    for size, dark in ((DESKTOP, False), (DESKTOP, True), (PHONE, False), (PHONE, True)):
        with context.another_browser(size=size, dark=dark) as driver:
            context.enter(driver)
            name = f"{'phone' if size == PHONE else 'desktop'}-{'dark' if dark else 'light'}"
            for view in ("photos", "albums", "inbox", "devices", "health", "audit", "sessions", "viewer"):
                driver.get(f"{context.library.address}/{'' if view in ('photos', 'viewer') else '?view=' + view}")
                wait(driver, "h1")
                if view in ("photos", "viewer"):
                    wait(driver, f"{TILE}.loaded")
                if view == "viewer":
                    tiles(driver)[0].click()
                    wait(driver, ".viewer .full.loaded, .viewer video")
                    press(driver, "i")
                    wait(driver, ".viewer .panel dl")
                time.sleep(0.7)
                context.shot(f"{view}-{name}", driver)
                findings += [f"{view} {name}: {one}" for one in context.audit(driver)]
    assert not findings, "\n".join(findings)


def log_out(context):
    """The session ends for good."""
    driver = context.driver
    go(context)
    named(driver, "button", "Log out").click()
    wait(driver, ".plain .card")
    go(context)
    until(lambda: "tintypectl web login" in driver.page_source, "the login page")


ALL = [log_in, used_link, browse, live_photo, edit_and_merge, trash_and_restore, albums, filters, approve, administration,
       picker, keyboard, hostile, looks, offline, log_out]
