"""What is handed over: a preselection that its caller changes, and photos chosen in low windows. And what the page says when a request
cannot be shown."""

import urllib.parse

from browser import PHONE, click, until, wait
from hands import click_on, click_tile, photos, prepared, text_of, tile_ids
from pick import CHOSEN, items, open_session, wall

# The photos' height, and what covers the middle of the lowest button.
ROOM = """
    const button = document.querySelector('#choice button:last-of-type').getBoundingClientRect();
    const seen = document.elementFromPoint(button.x + button.width / 2, button.y + button.height / 2);
    return { photos: document.querySelector('.scroller').clientHeight, isReached: Boolean(seen?.closest('#choice')) };
"""


def picker_preselected(context):
    """The caller takes a preselected photo out and moves another before the person acts: the page shows that, and hands it over."""
    driver, library = context.driver, context.library
    wished = [one["id"] for one in library.assets()[:3]]
    session = open_session(context, selectionLimit=3, isContinuous=True, isOrdered=True, preselected=wished)
    until(lambda: "3 of 3" in text_of(driver, "#badge"), "the preselection")
    edit = {"deselected": wished[:1], "moved": [{"id": wished[2]}]}
    status, answer = library.call("PATCH", f"/v1/picker/sessions/{session['id']}", edit)
    assert status == 200, answer
    until(lambda: "2 of 3" in text_of(driver, "#badge"), "the page to follow")
    assert wished[0] not in driver.execute_script(CHOSEN), "what was taken out is still shown as chosen"
    click(driver, "button", "Hand over 2 photos")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert items(context, session) == [wished[2], wished[1]], "not what the page showed"
    assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


def picker_low(context):
    """In low windows, also if the purpose is long, photos have room, and one is chosen and handed over."""
    purpose = "A calendar for the hall of the house by the lake, " * 5 + "as last year."
    for size in ((844, 390), (600, 400), (390, 600)):
        with context.another_browser(size=size) as driver:
            context.enter(driver)
            session = open_session(context, "", driver, purpose=purpose, selectionLimit=3)
            until(lambda: session["code"] in text_of(driver, "#badge"), "the code")
            room = driver.execute_script(ROOM)
            assert room["photos"] >= 200 and room["isReached"], f"{size}: {room}"
            context.shot(f"picker-low-{size[0]}", driver)
            asset = tile_ids(driver)[0]
            click_tile(driver, asset)
            until(lambda: "1 of 3" in text_of(driver, "#badge"), "one chosen")
            click(driver, "button", "Hand over")
            until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
            assert items(context, session) == [asset]
        assert context.library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


def picker_review_on_phone(context):
    """On a phone the review's button begins within the page."""
    with context.another_browser(size=PHONE) as driver:
        context.enter(driver)
        session = open_session(context, "", driver, selectionLimit=3)
        click_tile(driver, tile_ids(driver)[0])
        click(driver, "button", "Review")
        wait(driver, ".covers img")
        left = "return Math.min(...[...document.querySelectorAll('.page button')].map((one) => one.getBoundingClientRect().x))"
        assert driver.execute_script(left) >= 0, "a button begins outside the page"
    assert context.library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


def picker_without_captions(context):
    """The person holds back captions besides the requested location: the page and the server say so, also after it was handed over."""
    driver, library = context.driver, context.library
    session = open_session(context)
    until(lambda: "without location" in text_of(driver, "#gets"), "what is requested")
    click(driver, "button", "Options")
    click_on(driver, "dialog.ask input[value=captions]")
    click(driver, "dialog button", "Apply")
    until(lambda: "without location, without captions" in text_of(driver, "#gets"), "what is held back")
    click_tile(driver, tile_ids(driver)[0])
    until(lambda: "1 of 1" in text_of(driver, "#badge"), "one chosen")
    click(driver, "button", "Hand over")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    kept = next(one for one in library.get("/v1/admin/picker-sessions")["sessions"] if one["id"] == session["id"])
    assert kept["strip"] == ["location", "captions"], kept
    assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


# The server cannot be reached while `isAway`.
AWAY = """
    const ask = window.fetch;
    window.isAway = true;
    window.fetch = (...all) => (window.isAway ? Promise.reject(new TypeError('away')) : ask(...all));
"""


def picker_unavailable(context):
    """Links that are incomplete or wrong are called that, and a server that is away can be tried again: none of them is an end."""
    driver, library = context.driver, context.library
    status, session = library.call("POST", "/v1/picker/sessions", {"purpose": "A calendar for the hall."})
    assert status == 201, session
    link = urllib.parse.urlsplit(library.address + session["pickURI"])
    for fragment in ("", "wrong"):
        driver.get("about:blank")
        driver.get(link._replace(fragment=fragment).geturl())
        until(lambda: "This link is incomplete or no longer valid" in text_of(driver, "#content"), f"what is wrong with #{fragment}")
        assert "ended" not in text_of(driver, "#content"), text_of(driver, "#content")
    driver.get("about:blank")
    with prepared(driver, AWAY):
        driver.get(link.geturl())
        until(lambda: "The server cannot be reached" in text_of(driver, "#content"), "that the server is away")
        assert "ended" not in text_of(driver, "#content"), text_of(driver, "#content")
        driver.execute_script("window.isAway = false")
        click(driver, "button", "Try again")
        photos(driver)
    assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204
    until(lambda: "This request has ended" in text_of(driver, "#content"), "the end")


def picker_framed_ends(context):
    """An embedding page is told that a session has ended only when it has, not of a missing login or a wrong link; no count goes with
    a cancelled or ended one."""
    library = context.library
    status, session = library.call("POST", "/v1/picker/sessions", {"purpose": "A picture for the wall."})
    assert status == 201, session
    wrong = {**session, "pickURI": session["pickURI"].split("#")[0] + "#wrong"}
    with context.another_browser() as driver:
        def told():
            return [one["event"] for one in driver.execute_script("return window.told")]

        for shown, text in ((session, "Log in first"), (wrong, "This link is incomplete")):
            with wall(library, shown) as (origin, _):
                driver.get(origin)
                until(lambda: driver.execute_script("return window.hasLoaded"), "the frame")
                driver.switch_to.frame(0)
                until(lambda: text in text_of(driver, "#content"), text)
                # What the frame has sent before comes before this.
                driver.execute_script("parent.postMessage({ event: 'last' }, '*')")
                driver.switch_to.default_content()
                until(lambda: "last" in told(), "all messages")
                assert told() == ["last"], f"{text}: {told()}"
            if shown is session:
                context.enter(driver)
        with wall(library, session) as (origin, _):
            driver.get(origin)
            until(lambda: "ready" in told(), "the frame to be ready")
            assert library.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204
            until(lambda: told()[-1] == "ended", "the end to be told")
            assert driver.execute_script("return window.told.at(-1).count") == 0
        status, session = library.call("POST", "/v1/picker/sessions", {"purpose": "A picture for the wall."})
        assert status == 201, session
        with wall(library, session) as (origin, _):
            driver.get(origin)
            until(lambda: "ready" in told(), "the frame to be ready")
            driver.switch_to.frame(0)
            photos(driver)
            click_tile(driver, tile_ids(driver)[0])
            until(lambda: "1 of 1" in text_of(driver, "#badge"), "one chosen")
            click(driver, "button", "Cancel")
            until(lambda: "Nothing was handed over" in text_of(driver, "#content"), "the end")
            driver.switch_to.default_content()
            until(lambda: told()[-1] == "cancelled", "the end to be told")
            assert driver.execute_script("return window.told.at(-1).count") == 0, "nothing was handed over"


ALL = [picker_preselected, picker_low, picker_review_on_phone, picker_without_captions, picker_unavailable, picker_framed_ends]
