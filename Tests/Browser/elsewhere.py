"""What others change while a page is open: albums, and photos that leave the list."""

from browser import until, wait
from hands import focus, go, photos, text_of, tile_ids

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


ALL = [album_wall, albums_elsewhere]
