"""Maps: the small map among a photo's facts, and the library's map, by keys, wheel, mouse and in every look."""

from selenium.webdriver import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import DESKTOP, PHONE, click, settled, until, wait
from hands import go, leave_viewer, photos, press, text_of, tile_ids

CLUSTERS = "return [...document.querySelectorAll('.cluster')].map((one) => Number(one.textContent))"
VIEW = "return document.querySelector('.map > svg').getAttribute('viewBox').split(' ').map(Number)"
# Notes the area that the map shows whenever it goes into the address, and returns the one of now.
TELL_AREAS = """
    const replace = history.replaceState;
    window.shown = () => document.querySelector('.map > svg')?.getAttribute('viewBox');
    history.replaceState = (...all) => {
        window.area = window.shown();
        return replace.apply(history, all);
    };
    return window.area = window.shown();"""
# The origins of all requests.
ORIGINS = "return [...new Set(performance.getEntriesByType('resource').map((one) => new URL(one.name).origin))]"


def clusters(driver, count):
    """Waits until the clusters on the map hold `count` photos."""
    until(lambda: sum(driver.execute_script(CLUSTERS)) == count, f"{count} photos on the map")


def small_map(context):
    """A photo's facts show its place on a map, without requests elsewhere, and link to the library's map."""
    driver = context.driver
    go(context, "?type=images")
    photos(driver)
    made = {one["id"] for one in context.library.assets() if one.get("location")}
    driver.get(f"{context.library.address}/?asset={sorted(made)[0]}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    until(lambda: driver.execute_script("return (document.querySelector('.mini-map .land')?.getAttribute('d') ?? '').length > 100000"), "the outlines")
    pin = driver.execute_script("const pin = document.querySelector('.mini-map .pin'); return [pin.getAttribute('cx'), pin.getAttribute('cy')].map(Number)")
    assert 521 < pin[0] < 523 and 353 < pin[1] < 355, f"46.5 N, 7.9 E lies elsewhere: {pin}"
    assert driver.execute_script(ORIGINS) == [context.library.address], "the map asked somebody else"
    context.shot("small-map")
    click(driver, ".viewer .panel button", "Show on the map")
    until(lambda: "view=map" in driver.current_url and driver.execute_script(CLUSTERS), "the library's map")
    assert not driver.find_elements(By.CSS_SELECTOR, "dialog[open]"), "the viewer stays open over the map"
    # The map ends before the poles: there a link stands for it.
    pole = context.library.take_in_dated_picture("2024:02:04 12:00:00", "+00:00", place=(89.5, 10.5))
    driver.get(f"{context.library.address}/?asset={pole}")
    wait(driver, "dialog.viewer[open]")
    # The panel stays open from one photo to the next.
    until(lambda: text_of(driver, ".viewer .panel dd div > button.link") == "Show on the map", "the link to the map")
    leave_viewer(driver)
    context.library.purge(pole)


def library_map(context):
    """A cluster shows exactly its photos; the map is moved by keys, wheel and dragging, and Back comes to where one was."""
    driver, made = context.driver, context.library
    there = made.take_in_dated_picture("2024:02:03 12:00:00", "+11:00", place=(-33.8568, 151.2153))
    located = [one["id"] for one in made.assets() if one.get("location")]
    go(context, "?view=map")
    clusters(driver, len(located))
    assert sorted(driver.execute_script(CLUSTERS)) == [1, len(located) - 1], driver.execute_script(CLUSTERS)
    until(lambda: f"{len(located)} photos in this area" in text_of(driver, ".view-heading"), "the number of photos")
    # A picture beside another never covers how many photos the other stands for.
    count = """const [one, other] = document.querySelectorAll('.cluster'); const at = ({ left, width, top, height }) => document.elementFromPoint(left + width / 2, top + height / 2);
        const was = [other.style.left, other.style.top]; other.style.left = `calc(${one.style.left} + 1.4rem)`; other.style.top = `calc(${one.style.top} + 1.4rem)`;
        const [number] = one.getElementsByTagName('span'); const found = at(number.getBoundingClientRect()) === number; [other.style.left, other.style.top] = was; return found"""
    assert driver.execute_script(count), "a picture covers another's count"
    context.shot("map")
    before = driver.execute_script(VIEW)
    driver.execute_script("document.querySelector('.map').focus()")
    press(driver, "+")
    until(lambda: driver.execute_script(VIEW)[2] < before[2] * 0.6, "plus to come closer")
    press(driver, Keys.ARROW_LEFT)
    press(driver, "0")
    until(lambda: driver.execute_script(VIEW)[:1] == [0] and driver.execute_script(VIEW)[2] == 1000, "the whole world")
    clusters(driver, len(located))
    surface = driver.find_element(By.CSS_SELECTOR, ".map")
    ActionChains(driver).scroll_from_origin(ScrollOrigin.from_element(surface), 0, -400).perform()
    until(lambda: driver.execute_script(VIEW)[2] < 900, "the wheel to come closer")
    here = driver.execute_script(VIEW)
    ActionChains(driver).move_to_element_with_offset(surface, 0, 200).click_and_hold().move_by_offset(120, 0).release().perform()
    until(lambda: driver.execute_script(VIEW)[0] < here[0], "the map to follow the mouse")
    dragged = driver.execute_script(TELL_AREAS)
    click(driver, ".map-tools button", "Show all photos")
    # The address has the area a moment after the map shows it.
    until(lambda: driver.execute_script("return window.area !== arguments[0] && window.area === window.shown()", dragged), "the area of all photos")
    clusters(driver, len(located))
    # Tab reaches the largest cluster first.
    driver.execute_script("document.querySelector('.map').focus()")
    press(driver, Keys.TAB)
    assert driver.execute_script("return document.activeElement.matches('.cluster:first-child')"), "Tab does not go to the clusters"
    place = driver.current_url
    press(driver, Keys.ENTER)
    photos(driver)
    until(lambda: f"{len(located) - 1} photos" in text_of(driver, ".title-line"), "as many photos as the cluster said")
    assert set(tile_ids(driver)) <= set(located) - {there}, "photos of another place"
    until(lambda: "at 46.50, 7.90" in text_of(driver, ".filters"), "the chip of the place")
    driver.execute_script("history.back()")
    until(lambda: driver.current_url == place, "the way back to the map")
    clusters(driver, len(located))
    go(context, "?view=map&type=videos")
    until(lambda: "No photo here" in text_of(driver, "#content"), "that no video says where it is from")
    assert made.call("DELETE", f"/v1/assets/{there}")[0] == 204
    assert made.call("DELETE", f"/v1/trash/{there}")[0] == 204


def map_looks(context):
    """The map passes the audits of accessibility in light and dark, on a desktop and a phone, and from right to left."""
    findings = []
    for size, dark in ((DESKTOP, True), (PHONE, False)):
        with context.another_browser(size=size, dark=dark) as driver:
            context.enter(driver)
            go(context, "?view=map", driver)
            until(lambda: driver.execute_script(CLUSTERS), "the clusters")
            settled(driver)
            # Nothing but the map was opened in this browser: its style came with it.
            assert driver.execute_script("return getComputedStyle(document.querySelector('.land')).fill") != "rgb(0, 0, 0)", "black land"
            name = f"map-{'phone-light' if size == PHONE else 'desktop-dark'}"
            context.shot(name, driver)
            findings.extend(f"{name}: {one}" for one in context.audit(driver))
            driver.execute_script("document.documentElement.dir = 'rtl'")
            inside = "const [one, map] = ['.cluster', '.map'].map((name) => document.querySelector(name).getBoundingClientRect()); return one.left > map.left && one.right < map.right && document.documentElement.scrollWidth <= innerWidth"
            until(lambda: driver.execute_script(inside), "the clusters inside the map from right to left")
            context.shot(f"{name}-rtl", driver)
    assert not findings, "\n".join(findings)


ALL = [small_map, library_map, map_looks]
