"""Keys, and where the focus goes."""

from selenium.webdriver.common.keys import Keys

from browser import until
from hands import focus, photos, press, text_of, tile_ids
from pick import open_session
from states import library

# A key that is held down; gives whether the browser would still act on it.
HELD = """return document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {
    key: arguments[0], repeat: true, bubbles: true, cancelable: true }))"""


def held_keys(context):
    """Space, X or Enter held down on a photo acts once: it neither selects and deselects in turn nor scrolls the photos."""
    driver, made = context.driver, context.library
    with library(context, 40, months=1) as (other, _):
        photos(other)
        first, second = tile_ids(other)[:2]
        for key, asset, count in ((" ", first, "1 photo"), ("x", second, "2 photos")):
            focus(other, f'.tile[data-id="{asset}"]')
            press(other, key)
            until(lambda: f"{count} selected" in text_of(other, ".selection-bar"), f"{count} selected")
            assert not other.execute_script(HELD, key), f"“{key}” scrolls the photos"
            assert f"{count} selected" in text_of(other, ".selection-bar"), f"“{key}” held down deselects"
    for style in ("", "?style=compact"):
        session = open_session(context, style, selectionLimit=3)
        focus(driver, ".tile")
        press(driver, Keys.ENTER)
        until(lambda: "1 of 3" in text_of(driver, "#badge"), "one chosen")
        for key in ("Enter", " "):
            assert not driver.execute_script(HELD, key), f"“{key}” scrolls the photos"
            assert "1 of 3" in text_of(driver, "#badge"), f"“{key}” held down gives the photo back"
        # Only a few may be open at once.
        assert made.call("DELETE", f"/v1/picker/sessions/{session['id']}")[0] == 204


ALL = [held_keys]
