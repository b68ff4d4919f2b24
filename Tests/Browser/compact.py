"""The picker's compact style, one row of photos, by touch and when photos cannot be loaded; and a choice that both sides change."""

import urllib.parse

from selenium.webdriver.common.keys import Keys

from browser import PHONE, click, until, wait
from hands import click_tile, focus, prepared, press, tap, text_of, tile_ids, told
from pick import CHOSEN, items, open_session
from staying import METHODS

# The list of photos comes once `goOn` is called, and `isAnswered` once the page has had its answer.
HELD = """
    const ask = window.fetch, parse = Response.prototype.json, isList = (address) => /picks\\/[^/]+\\/assets/.test(address);
    window.fetch = async (address, ...more) => {
        if (isList(address)) await new Promise((resolve) => { window.goOn = resolve; });
        return ask(address, ...more);
    };
    Response.prototype.json = async function () {
        const body = await parse.call(this);
        if (isList(this.url)) setTimeout(() => { window.isAnswered = true; });
        return body;
    };
"""

# The list goes on, but what follows is refused.
MORE = """
    if (/picks\\/[^/]+\\/assets/.test(this.url)) {
        const ask = window.fetch;
        window.fetch = async (address, ...more) => (address.includes('cursor=more') ? Response.json({ detail: 'Start over.' }, { status: 400 }) : ask(address, ...more));
        body.next = 'more';
    }
"""


def picker_by_touch(context):
    """In the compact style on a phone each photo shows its check mark, which a tap fills with the photo's place in the order."""
    with context.another_browser(size=PHONE) as driver:
        context.enter(driver)
        session = open_session(context, "?style=compact", driver, selectionLimit=3, isOrdered=True)
        assert driver.execute_script("return document.querySelector('.check').checkVisibility()"), "the check mark is hidden"
        tap(driver, ".check", lambda: "1 of 3" in text_of(driver, "#badge"))
        assert driver.execute_script("return document.querySelector('.check').dataset.place") == "1"
    # Only a few may be open at once.
    assert context.library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


def compact_refused(context):
    """When more photos cannot be loaded the page says why, and those that are there can be chosen."""
    driver = context.driver
    with told(driver, MORE):
        open_session(context, "?style=compact", selectionLimit=3)
        driver.execute_script("const row = document.querySelector('.tile-strip'); row.scrollLeft = row.scrollWidth")
        until(lambda: "Start over." in text_of(driver, "#notices"), "why there are no more")
    driver.execute_script("document.querySelector('.tile').click()")
    until(lambda: "1 of 3" in text_of(driver, "#badge"), "a photo to be chosen")
    click(driver, "button", "Cancel")
    until(lambda: "Nothing was handed over" in text_of(driver, "#content"), "the end")


def compact_ended(context):
    """The end of a request stays in view when the photos that were asked for before are refused after it."""
    driver, library = context.driver, context.library
    status, session = library.call("POST", "/v1/picker/sessions", {"purpose": "A calendar for the hall."})
    assert status == 201, session
    uri = urllib.parse.urlsplit(session["pickURI"])
    with prepared(driver, HELD):
        driver.get(f"{library.address}{uri.path}?style=compact#{uri.fragment}")
        until(lambda: driver.execute_script("return Boolean(window.goOn)"), "the photos to be asked for")
        assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204
        until(lambda: "This request has ended" in text_of(driver, "#content"), "the end")
        driver.execute_script("goOn()")
        until(lambda: driver.execute_script("return window.isAnswered"), "the answer")
        assert "This request has ended" in text_of(driver, "#content"), text_of(driver, "#content")


def picker_overtaken(context):
    """Done hands nothing over if the caller has changed the choice meanwhile: that is shown first, and when the request ends is told as of now."""
    driver, library = context.driver, context.library
    session = open_session(context, selectionLimit=3, isContinuous=True)
    # A hidden page does not ask what the caller has changed.
    hide = "Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true })"
    driver.execute_script(hide, True)
    chosen = tile_ids(driver)[:2]
    for count, asset in enumerate(chosen, 1):
        click_tile(driver, asset)
        until(lambda: len(items(context, session)) == count, f"{count} received")
    status, answer = library.call("PATCH", f"/v1/picker/sessions/{session['id']}", {"deselected": chosen[:1]})
    assert status == 200, answer
    driver.execute_script(METHODS)
    # Twice: the second choice waits for the first to be refused.
    done = "#choice button.button"
    driver.execute_script("const done = document.querySelector(arguments[0]); done.focus(); done.click(); done.click()", done)
    until(lambda: "changed the selection" in text_of(driver, "#notices"), "what the caller has changed")
    assert "POST" not in driver.execute_script("return methods"), "something was handed over unseen"
    assert driver.execute_script("return document.activeElement.matches(arguments[0])", done), "the focus is lost with the button"
    driver.execute_script(hide, False)
    driver.execute_script("const now = Date.now; Date.now = () => now() - 48 * 3_600_000")
    until(lambda: "in 2 days" in text_of(driver, "#ends"), "when it ends by now")
    click(driver, "button", "Hand over 1 photo")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert items(context, session) == chosen[1:]
    assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


def picker_gone(context):
    """A photo that others trash while it is chosen is left out, with a notice, before anything is handed over; so is a suggested one that is deleted."""
    driver, library = context.driver, context.library
    session = open_session(context, selectionLimit=3)
    chosen = tile_ids(driver)[:2]
    for count, asset in enumerate(chosen, 1):
        click_tile(driver, asset)
        until(lambda: f"{count} of 3" in text_of(driver, "#badge"), f"{count} chosen")
    until(lambda: library.get(f"/v1/picker/sessions/{session['id']}")["count"] == 2, "both at the server")
    assert library.call("DELETE", f"/v1/assets/{chosen[0]}")[0] == 204
    driver.execute_script(METHODS)
    # Twice: the second choice, with the same photo, waits for the first.
    driver.execute_script("const done = document.querySelector('#choice button.button'); done.focus(); done.click(); done.click()")
    until(lambda: "left out: 1 photo." in text_of(driver, "#notices"), "what was left out")
    until(lambda: "1 of 3" in text_of(driver, "#badge"), "one chosen")
    methods = driver.execute_script("return methods")
    assert methods.count("PUT") == 1 and "POST" not in methods, f"sent after photos were left out: {methods}"
    assert "Hand over 1 photo" in driver.execute_script("return document.activeElement.textContent"), "the focus is lost with the button"
    click(driver, "button", "Hand over 1 photo")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert items(context, session) == chosen[1:]
    assert library.call("PATCH", f"/v1/assets/{chosen[0]}", {"restores": True})[0] == 200
    assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204

    suggested = library.take_in_dated_picture("2025:03:03 03:03:03", "+00:00")
    session = open_session(context, selectionLimit=3, preselected=[suggested, chosen[1]])
    until(lambda: "2 of 3" in text_of(driver, "#badge"), "what was suggested")
    library.purge(suggested)
    click(driver, "button", "Hand over 2 photos")
    until(lambda: "cannot be chosen" in text_of(driver, "#notices"), "what is wrong")
    click(driver, "button", "Hand over 1 photo")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert items(context, session) == chosen[1:]
    assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


def review_by_keys(context):
    """In the review the focus goes with a photo that is moved, to its other button at the end, and to the next photo when one is left out."""
    driver = context.driver
    session = open_session(context, selectionLimit=4, isOrdered=True)
    for count, asset in enumerate(tile_ids(driver)[:4], 1):
        click_tile(driver, asset)
        until(lambda: f"{count} of 4" in text_of(driver, "#badge"), f"{count} chosen")
    first, second, third, fourth = driver.execute_script(CHOSEN)
    click(driver, "button", "Review")
    wait(driver, ".covers img")
    shown = "return [...document.querySelectorAll('.covers img')].map((one) => one.src.match(/assets.([^/]+)/)[1])"
    focused = "const { activeElement: one } = document; return [[...document.querySelectorAll('.covers > li')].indexOf(one.closest('li')), one.getAttribute('aria-label')]"
    focus(driver, ".covers li:nth-child(3) [aria-label=Earlier]")
    press(driver, Keys.ENTER)
    until(lambda: driver.execute_script(focused) == [1, "Earlier"], "the focus with the photo")
    press(driver, Keys.ENTER)
    until(lambda: driver.execute_script(focused) == [0, "Later"], "the other button at the end")
    assert driver.execute_script(shown) == [third, first, second, fourth], driver.execute_script(shown)
    focus(driver, ".covers li:nth-child(2) [aria-label='Do not hand over']")
    press(driver, Keys.ENTER)
    until(lambda: driver.execute_script(shown) == [third, second, fourth], "one to be left out")
    assert driver.execute_script(focused) == [1, "Do not hand over"], driver.execute_script(focused)
    click(driver, "button", "Hand over")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert items(context, session) == [third, second, fourth]
    assert context.library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


ALL = [picker_by_touch, compact_refused, compact_ended, picker_overtaken, picker_gone, review_by_keys]
