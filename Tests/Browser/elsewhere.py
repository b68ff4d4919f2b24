"""What others change while a page is open: albums, and photos that leave the list."""

from selenium.webdriver.common.keys import Keys

from browser import until, wait
from hands import click_tile, focus, go, leave_viewer, photos, press, text_of, tile_ids

COVERS = """return Object.fromEntries([...document.querySelectorAll('.covers > li')].map((one) =>
    [one.querySelector('strong').textContent, one.querySelector('.quiet').textContent]))"""

OFFERED = """return [...document.querySelectorAll('.filters [aria-label="Any album"] option')].map((one) => one.textContent)"""


def change(made, method, path, body=None):
    """Changes something as another operator would."""
    status, answer = made.call(method, path, body)
    assert status < 300, answer


def album_wall(context):
    """Albums that others make, fill, rename and delete come and go on a wall that is the page's first view; the others' covers stay."""
    driver, made = context.driver, context.library
    ids = [one["id"] for one in made.assets()[:2]]
    kept = made.add_album("Kept here", ids[:1])
    covers = lambda: driver.execute_script(COVERS)
    go(context, "?view=albums")
    until(lambda: covers().get("Kept here") == "1 photo", "the album of before")
    wait(driver, f'.covers [data-id="{kept}"] img')
    focus(driver, f'.covers [data-id="{kept}"] button')
    driver.execute_script("window.kept = document.activeElement")
    status, album = made.call("POST", "/v1/albums", {"title": "Made elsewhere"})
    assert status == 201, album
    path = f"/v1/albums/{album['id']}"
    until(lambda: covers().get("Made elsewhere") == "0 photos", "the new album")
    change(made, "POST", f"{path}/assets", {"assets": ids})
    until(lambda: covers().get("Made elsewhere") == "2 photos", "what it holds now")
    change(made, "PATCH", path, {"title": "Renamed elsewhere"})
    until(lambda: "Renamed elsewhere" in covers() and "Made elsewhere" not in covers(), "its new title")
    change(made, "DELETE", path)
    until(lambda: "Renamed elsewhere" not in covers(), "it to go")
    assert driver.execute_script("return window.kept.isConnected && document.activeElement === window.kept"), "the cover of another album was made anew"
    change(made, "DELETE", f"/v1/albums/{kept}")
    until(lambda: "Kept here" not in covers(), "the other one to go")


def albums_elsewhere(context):
    """The filter offers the albums of now; an open album takes its new title and order, and the page says when it is gone."""
    driver, made = context.driver, context.library
    newest = [one["id"] for one in made.assets()[:3]]
    go(context)
    photos(driver)
    driver.execute_script("window.isTheSamePage = true")
    offered = lambda: driver.execute_script(OFFERED)
    album = made.add_album("Made elsewhere", newest[::-1])
    path = f"/v1/albums/{album}"
    until(lambda: "Made elsewhere" in offered(), "the new album in the filter")
    change(made, "PATCH", path, {"title": "Renamed elsewhere"})
    until(lambda: "Renamed elsewhere" in offered() and "Made elsewhere" not in offered(), "its new title in the filter")
    assert driver.execute_script("return window.isTheSamePage"), "the page was loaded again"

    go(context, f"?view=album&id={album}")
    until(lambda: tile_ids(driver) == newest[::-1], "the album as it was put together")
    driver.execute_script("window.isTheSamePage = true")
    change(made, "PATCH", path, {"title": "Its third title"})
    until(lambda: text_of(driver, "h1") == "Its third title" and driver.title == "Its third title · Tintype", "the title over its photos")
    change(made, "PATCH", path, {"order": "newestFirst"})
    until(lambda: tile_ids(driver) == newest, "the order of now")
    until(lambda: driver.execute_script("return document.querySelector('.title-line select').value") == "newestFirst", "the order's name")
    change(made, "DELETE", path)
    until(lambda: "does not exist any more" in text_of(driver, "#content"), "that it is gone")
    assert driver.execute_script("return window.isTheSamePage"), "the page was loaded again"


def plain(made):
    """Photos that are neither bursts nor Live Photos, by identifier."""
    return {one["id"] for one in made.assets() if one["mediaType"] == 1 and one["playbackStyle"] != 3 and "burst" not in one}


def trashed_elsewhere(context):
    """D6: an open photo that somebody else moves to the trash makes room for the next one, with a word, and the arrows go on from there."""
    driver, made = context.driver, context.library
    go(context)
    photos(driver)
    shown = tile_ids(driver)
    at = next(place for place in range(1, len(shown) - 1) if shown[place] in plain(made))
    before, asset, after = shown[at - 1:at + 2]
    click_tile(driver, asset)
    until(lambda: asset in driver.current_url, "the photo")
    change(made, "DELETE", f"/v1/assets/{asset}")
    until(lambda: after in driver.current_url, "the next photo")
    until(lambda: "out of this list" in text_of(driver, "#notices"), "why it is shown")
    press(driver, Keys.ARROW_LEFT)
    until(lambda: before in driver.current_url, "the photo before")
    leave_viewer(driver)
    until(lambda: asset not in tile_ids(driver), "the photo to leave the list")
    change(made, "PATCH", f"/v1/assets/{asset}", {"restores": True})
    until(lambda: asset in tile_ids(driver), "the photo to come back")


def left_favourites(context):
    """D6: a photo that is no favourite any more leaves the favourites. While it is open its neighbours stay in reach, and Escape focuses one."""
    driver, made = context.driver, context.library
    some = sorted(plain(made))[:4]
    for one in some:
        change(made, "PATCH", f"/v1/assets/{one}", {"isFavorite": True})
    go(context, "?view=favorites")
    shown = until(lambda: (lambda ids: set(some) <= set(ids) and ids)(tile_ids(driver)), "the favourites")
    first, second, third, fourth = [one for one in shown if one in some]
    beside = lambda one, by: shown[shown.index(one) + by]
    gone = lambda one: until(lambda: one not in tile_ids(driver), "what is no favourite any more to leave the list")
    click_tile(driver, second)
    until(lambda: second in driver.current_url, "the photo")
    press(driver, "f")
    gone(second)
    press(driver, Keys.ARROW_RIGHT)
    until(lambda: beside(second, 1) in driver.current_url, "the favourite after it")
    press(driver, Keys.ARROW_LEFT)
    until(lambda: beside(second, -1) in driver.current_url, "the favourite before it")
    leave_viewer(driver)
    change(made, "PATCH", f"/v1/assets/{first}", {"isFavorite": False})
    gone(first)
    click_tile(driver, third)
    until(lambda: third in driver.current_url, "another photo")
    press(driver, "f")
    gone(third)
    leave_viewer(driver)
    until(lambda: driver.execute_script("return document.activeElement.dataset.id") == beside(third, 1), "the focus on the favourite after it")
    change(made, "PATCH", f"/v1/assets/{fourth}", {"isFavorite": False})


def devices_live(context):
    """The open list of devices takes in a new one, and tells how long others have been silent by now; the focus stays."""
    driver, made = context.driver, context.library
    rows = """return [...document.querySelectorAll('#content tbody tr')].map((row) => [row.querySelector('a').textContent, row.cells[3].textContent])"""
    go(context, "?view=devices")
    until(lambda: "gate" in dict(driver.execute_script(rows)), "the devices")
    driver.execute_script("""
        window.kept = document.querySelector('#content table');
        [...document.querySelectorAll('#content tbody a')].find((one) => one.textContent === 'gate').focus();
    """)
    code = made.newcomer("pier", folder="pier")
    until(lambda: "pier" in dict(driver.execute_script(rows)), "the new device")
    driver.execute_script("const now = Date.now; Date.now = () => now() + 3 * 86400 * 1000")
    until(lambda: any(name == "gate" and "quiet" in silence for name, silence in driver.execute_script(rows)), "how long the camera has been silent")
    assert driver.execute_script("return window.kept.isConnected"), "the list was made anew"
    assert driver.execute_script("return document.activeElement.matches('#content tbody a') && document.activeElement.textContent") == "gate", "the focus is lost"
    pier = next(one["id"] for one in made.get("/v1/admin/devices")["devices"] if one.get("verificationCode") == code)
    change(made, "POST", f"/v1/admin/devices/{pier}/decision", {"answer": "none"})


def device_live(context):
    """A device's open page tells how long it has been silent by now, beside facts that stay as they are, and follows a new name; the focus stays."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    path = f"/v1/admin/devices/{device}"
    before = made.get(path)
    rename = "[aria-label='Rename, tags and album']"
    focused = lambda: driver.execute_script("return document.activeElement.matches(arguments[0])", rename)
    contact = "return [...document.querySelectorAll('#content dt')].find((one) => one.textContent === 'Last contact')?.nextElementSibling.textContent"
    go(context, f"?view=devices&id={device}")
    until(lambda: text_of(driver, "h1") == before["name"] and driver.execute_script(contact), "the device")
    driver.execute_script("""
        window.kept = [...document.querySelectorAll('#content dd code')].find((one) => one.textContent === arguments[0]);
        document.querySelector(arguments[1]).focus();
        const now = Date.now;
        Date.now = () => now() + 3 * 86400 * 1000;
    """, device, rename)
    until(lambda: "3 days ago" in driver.execute_script(contact), "how long it has been silent")
    assert driver.execute_script("return window.kept.isConnected") and focused(), "the facts were made anew"
    change(made, "PATCH", path, {"name": "gate at night", "tags": before.get("tags", [])})
    until(lambda: text_of(driver, "h1") == "gate at night", "the new name")
    assert focused(), "the focus is lost"
    change(made, "PATCH", path, {"name": before["name"], "tags": before.get("tags", [])})


def device_words(context):
    """A device's page says in its own words how its rights are changed, with the button that does it."""
    go(context, f"?view=devices&id={context.library.assets()[0]['deviceID']}")
    until(lambda: "Change answer…" in text_of(context.driver, "#content .banner"), "what can be done")
    assert "tintype" not in text_of(context.driver, "#content .banner"), text_of(context.driver, "#content .banner")


ALL = [album_wall, albums_elsewhere, trashed_elsewhere, left_favourites, devices_live, device_live, device_words]
