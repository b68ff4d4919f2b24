"""What is handed over: a preselection that its caller changes."""

from browser import click, until
from hands import text_of
from pick import CHOSEN, items, open_session


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


ALL = [picker_preselected]
