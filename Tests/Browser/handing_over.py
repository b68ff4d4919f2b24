"""What is handed over: a preselection that its caller changes, and photos chosen in low windows."""

from browser import PHONE, click, until, wait
from hands import click_tile, text_of, tile_ids
from pick import CHOSEN, items, open_session

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


ALL = [picker_preselected, picker_low, picker_review_on_phone]
