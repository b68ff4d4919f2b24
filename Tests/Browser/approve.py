"""Decisions about devices: the four answers, look-alikes, held uploads, and what a caller without access gets."""

import urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import click, gone, until, wait
from hands import click_on, click_tile, focus, go, leave_viewer, photos, press, text_of, tile_ids, told, write

WITHOUT_ACCESS = "twin-add-only"
FOUND = "[...document.querySelectorAll('.card')].find((card) => card.querySelector('.code')?.textContent === arguments[0])"
CARD = f"return {FOUND}?.innerText"
ANSWER = f"return {FOUND}?.querySelector(`.answer[data-answer='${{arguments[1]}}']`)"


def answers(context):
    """Three of the answers, each to a device with another one's name; the fourth has a journey of its own."""
    driver, library = context.driver, context.library
    context.admitted = {}
    for answer, expected in (("all", ["authorized", "authorized"]), ("add-only", ["authorized", "denied"]), ("none", None)):
        code = library.newcomer("gate", folder=f"twin-{answer}")
        device = next(one["id"] for one in library.get("/v1/admin/devices")["devices"] if one.get("verificationCode") == code)
        go(context, "?view=inbox")
        card = until(lambda: driver.execute_script(CARD, code), f"the card with the code {code}")
        assert "Looks like “gate”" in card, card
        assert "Takes pictures" in card or "Saves pictures" in card, card
        context.shot("look-alike")
        until(lambda: [driver.execute_script(ANSWER, code, answer).click()], f"the answer {answer} to be clicked")
        path = f"/v1/admin/devices/{device}"
        levels = lambda: [library.get(path)["authorization"][level] for level in ("addOnly", "readWrite")]
        if answer == "all":
            until(lambda: "Open the whole library" in text_of(driver, "dialog.ask"), "the question whether all is meant")
            assert "authorized" not in levels(), "one click opened the library"
            click(driver, "dialog.ask button", "Open everything")
        # A device that was never admitted has no rights to withdraw, and no new answer is offered.
        until(lambda: levels() == expected if expected else library.get(path).get("isRefused"), f"the answer {answer}")
        until(lambda: not driver.execute_script(CARD, code), "the answered card to go")
        library.enroll("gate", f"twin-{answer}")
        context.admitted[f"twin-{answer}"] = device


def inbox_live(context):
    """A device that asks while the inbox is open appears in it, and on its badge, without a reload; All is the last answer."""
    driver, library = context.driver, context.library
    go(context, "?view=inbox")
    wait(driver, "h1")
    driver.execute_script("window.isTheSamePage = true")
    code = library.newcomer("cellar", folder="cellar")
    until(lambda: driver.execute_script(CARD, code), "the card of who asks meanwhile")
    until(lambda: text_of(driver, "#places .count").strip()[:1].isdigit(), "the badge")
    assert driver.execute_script("return window.isTheSamePage"), "the page was loaded again"
    names = driver.execute_script("return [...document.querySelectorAll('.answer')].map((one) => one.dataset.answer)")
    assert names[0] == "add-only" and names[-1] == "all", names
    until(lambda: [driver.execute_script(ANSWER, code, "none").click()], "the answer")
    until(lambda: not driver.execute_script(CARD, code), "the answered card to go")


def inbox_question(context):
    """A device that asks while a question is open appears behind it; the question, the other cards and the focus stay."""
    driver, library = context.driver, context.library
    first = library.newcomer("attic", folder="attic")
    go(context, "?view=inbox")
    until(lambda: driver.execute_script(CARD, first), "the first card")
    until(lambda: [driver.execute_script(ANSWER, first, "all").click()], "the answer All")
    question = "Open the whole library to “attic”"
    until(lambda: question in text_of(driver, "dialog.ask"), "the question whether all is meant")
    second = library.newcomer("loft", folder="loft")
    until(lambda: driver.execute_script(CARD, second), "the card of who asks meanwhile")
    assert question in text_of(driver, "dialog.ask"), "the question is gone"
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.ask")
    focused = "const { activeElement: one } = document; return [one.closest('.card')?.querySelector('.code')?.textContent, one.dataset.answer]"
    assert driver.execute_script(focused) == [first, "all"], driver.execute_script(focused)
    for code in (first, second):
        until(lambda: [driver.execute_script(ANSWER, code, "none").click()], "the answer None")
        until(lambda: not driver.execute_script(CARD, code), "the answered card to go")


def answered_elsewhere(context):
    """A card that is answered elsewhere goes; the focus, on it or on a question about it, is at the top of the inbox then."""
    driver, library = context.driver, context.library
    for is_asked in (False, True):
        name = "coop" if is_asked else "shed"
        code = library.newcomer(name, folder=name)
        device = next(one["id"] for one in library.get("/v1/admin/devices")["devices"] if one.get("verificationCode") == code)
        go(context, "?view=inbox")
        until(lambda: driver.execute_script(CARD, code), "the card")
        until(lambda: [driver.execute_script(ANSWER, code, "all").send_keys(Keys.ENTER)] if is_asked
              else [driver.execute_script("arguments[0].focus()", driver.execute_script(ANSWER, code, "all"))], "the focus on the answer All")
        if is_asked:
            wait(driver, "dialog.ask")
        status, problem = library.call("POST", f"/v1/admin/devices/{device}/decision", {"answer": "none"})
        assert status < 300, problem
        until(lambda: not driver.execute_script(CARD, code), "the answered card to go")
        if is_asked:
            press(driver, Keys.ESCAPE)
            gone(driver, "dialog.ask")
        until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus at the top of the inbox")


def read_question(context):
    """None to a box that saves and asks to read leaves saving as it is; a changed answer None ends both, also while it asks."""
    driver, library = context.driver, context.library
    code = library.newcomer("quay", folder="quay")
    device = next(one["id"] for one in library.get("/v1/admin/devices")["devices"] if one.get("verificationCode") == code)
    path = f"/v1/admin/devices/{device}"
    levels = lambda: [library.get(path)["authorization"][level] for level in ("addOnly", "readWrite")]

    def saves_and_asks_to_read():
        for method, body in (("DELETE", None), ("POST", {"answer": "add-only", "levels": ["addOnly"]})):
            status, problem = library.call(method, f"{path}/decision", body)
            assert status < 300, problem
        library.enroll("quay", "quay")
        status, problem = library.as_device("quay", "POST", "/v1/authorization/requests", {"level": "readWrite", "usage": "Shows the tide."})
        assert status < 300, problem

    saves_and_asks_to_read()
    go(context, "?view=inbox")
    none = "return [...document.querySelectorAll('.card')].find((one) => one.innerText.includes('Shows the tide'))?.querySelector('[data-answer=none]')"
    answer = until(lambda: driver.execute_script(none), "the answer None")
    assert "saves as before" in answer.text, answer.text
    answer.click()
    until(lambda: levels() == ["authorized", "denied"], "the answer None to reading")
    until(lambda: "saves as before" in text_of(driver, "#notices"), "what the answer means")
    saves_and_asks_to_read()
    go(context, f"?view=devices&id={device}")
    click(driver, "button", "Change answer")
    click(driver, "dialog button", "None")
    until(lambda: levels() == ["denied", "denied"], "the changed answer None")


def concurrent(context):
    """An offline box and the page edit the same photo: the later title is shown, the other one is kept and can be restored."""
    driver, library = context.driver, context.library
    library.admit("porch", "porch", "all")
    settings = library.agent_settings("porch", "porch")
    library.run("tintype-agent", "sync", "--once", *settings)
    asset = library.assets()[-1]["id"]
    library.run("tintype-agent", "assets", "edit", asset, "--title", "From the box", "--rating", "2", *settings)
    now = lambda: library.get(f"/v1/assets/{asset}")
    go(context, f"?asset={asset}")
    wait(driver, "dialog.viewer[open]")
    press(driver, "i")
    write(driver, ".panel input[maxlength='512']", "From the page", Keys.TAB)
    until(lambda: now().get("title") == "From the page", "the page's title")
    library.run("tintype-agent", "sync", "--once", *settings)
    until(lambda: now()["rating"] == 2, "the box's stars")
    assert now()["title"] == "From the page", now()
    until(lambda: "From the box" in text_of(driver, ".superseded"), "the title that lost")
    context.shot("concurrent")
    click(driver, "button", "Use this title instead")
    until(lambda: now()["title"] == "From the box", "the title to be put back")
    press(driver, "i")
    leave_viewer(driver)


def held(context):
    """A new answer withdraws a device's rights; the page shows what the device holds and why, as of its next contact."""
    driver, library = context.driver, context.library
    device = context.admitted[WITHOUT_ACCESS]
    go(context, f"?view=devices&id={device}")
    click(driver, "button", "Change answer")
    click(driver, "dialog button", "None")
    until(lambda: library.get(f"/v1/admin/devices/{device}")["authorization"]["addOnly"] == "denied", "the answer None")
    settings = library.agent_settings("gate", WITHOUT_ACCESS)
    library.run("tintype-agent", "capture", "--count", "2", "--interval", "0.2", *settings)
    for _ in range(2):
        library.run("tintype-agent", "sync", "--once", *settings, check=False)
    go(context, "?view=devices")
    until(lambda: "2 waiting" in text_of(driver, "#content"), "the queue's depth")
    until(lambda: "2 held: " in text_of(driver, "#content"), "what is held")
    context.shot("held")


def picker_without_access(context):
    """A device without access asks for photos; it gets what was picked, nothing else, and only while the session is open."""
    driver, library = context.driver, context.library
    who = WITHOUT_ACCESS
    assert library.as_device(who, "GET", "/v1/assets")[0] == 403
    wish = {"purpose": "The picture on the wall.", "selectionLimit": 2, "filter": "images", "disabledCapabilities": ["search", "collectionNavigation"]}
    status, session = library.as_device(who, "POST", "/v1/picker/sessions", wish)
    assert status == 201, session
    path = f"/v1/picker/sessions/{session['id']}"
    assert library.as_device(who, "GET", f"{path}/items")[0] == 409, "items before anything was chosen"
    uri = urllib.parse.urlsplit(session["pickURI"])
    driver.get(f"{library.address}{uri.path}#{uri.fragment}")
    photos(driver)
    for sign in ("gate", session["code"], "Key"):
        until(lambda: sign in text_of(driver, "#badge"), f"{sign} in the badge")
    assert not driver.find_elements(By.CSS_SELECTOR, "input[type=search], [aria-label='Any album']"), "what was switched off is there"
    movie = next(one["id"] for one in library.assets() if one["mediaType"] == 2)
    choices = tile_ids(driver)
    assert movie not in choices, "the filter of the request was not kept"
    for wrong in (choices[:3], [movie]):
        assert put_selection(driver, session["id"], wrong) >= 400, f"the server took {len(wrong)} that were not allowed"
    for asset in choices[:2]:
        click_tile(driver, asset)
    until(lambda: "2 of 2" in text_of(driver, "#badge"), "two chosen")
    click(driver, "button", "Hand over")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    status, answer = library.as_device(who, "GET", f"{path}/items")
    items = [one["id"] for one in answer["items"]]
    assert status == 200 and len(items) == 2 and not set(items) & set(choices), answer
    status, content = library.as_device(who, "GET", f"{path}/items/{items[0]}")
    assert status == 200 and content[:3] == b"\xff\xd8\xff", status
    assert library.as_device(who, "GET", f"{path}/items/{choices[2]}")[0] == 404, "it got what was not chosen"
    assert library.as_device(who, "GET", f"/v1/assets/{choices[0]}")[0] == 403, "it got more than the session"
    assert library.as_device("twin-all", "GET", f"{path}/items")[0] == 404, "another caller sees the session"
    assert library.as_device(who, "DELETE", path)[0] == 204
    assert library.as_device(who, "GET", f"{path}/items/{choices[0]}")[0] in (404, 410), "the session outlives its end"


def put_selection(driver, session, assets):
    """Picks by request what the page does not offer; returns the status."""
    return driver.execute_async_script("""
        const [id, assets, done] = arguments;
        (async () => {
            const { csrfToken } = await (await fetch('/v1/admin/web-logins/current')).json();
            const headers = { 'Tintype-Pick-Secret': sessionStorage.getItem(`pick:${id}`), 'Tintype-CSRF': csrfToken, 'Content-Type': 'application/json' };
            const answer = await fetch(`/v1/picks/${id}/selection`, { method: 'PUT', headers, body: JSON.stringify({ assets, strip: [] }) });
            done(answer.status);
        })();
    """, session, assets)


def jobs(context):
    """Jobs are paused and resumed, and failed ones retried, all or one."""
    driver, library = context.driver, context.library
    counts = lambda: {state: number for state, number in library.get("/v1/admin/jobs?limit=1")["counts"].items() if number}
    shown = lambda: text_of(driver, "#content")
    go(context, "?view=health")
    until(lambda: "All thumbnails are made" in shown(), "an idle queue")
    click(driver, "button", "Pause")
    until(lambda: library.get("/v1/admin/jobs")["isPaused"], "the work to be paused")
    until(lambda: "paused" in shown(), "the page to say that it is paused")
    asset = library.take_in_torn_picture()
    go(context, "?view=health")
    until(lambda: "1 waiting" in shown(), "the job that waits")
    context.shot("jobs-held")
    click(driver, "button", "Resume")
    until(lambda: not library.get("/v1/admin/jobs")["isPaused"], "the work to go on")
    until(lambda: counts() == {"dead": 1}, "the torn picture to be given up")
    until(lambda: "1 failed" in shown() and "waiting" not in shown(), "the page to follow")
    context.shot("jobs-given-up")
    job = library.get("/v1/admin/jobs?state=dead")["jobs"][0]
    sentence, words = job["reason"].split(": ", 1)
    until(lambda: sentence in shown(), f"the page to say why: {job['reason']}")
    assert words not in shown(), "a decoder's words stand where nobody asked for them"
    click_on(driver, "#content details.reason summary")
    until(lambda: words in shown(), "its words behind the sentence")
    name = f"thumbnails of {job['digest'][:12]}"
    assert name.capitalize() in shown(), f"the job is not named: {shown()}"
    retries = "return [...document.querySelectorAll('#content td button')].map((one) => one.getAttribute('aria-label')).filter((one) => one?.startsWith('Retry'))"
    assert driver.execute_script(retries) == [] and "fails again each time" in shown(), "a retry is offered that fails again"
    # Paused, so that a retried job stays visible instead of failing again at once.
    with told(driver, "for (const job of body?.jobs ?? []) job.attempts = 8;"):
        go(context, "?view=health")
        until(lambda: driver.execute_script(retries) == [f"Retry: {name}"] and "fails again each time" not in shown(), "the retry of what failed by chance")
        for way in ("Retry failed jobs", f"Retry: {name}"):
            click(driver, "button", "Pause")
            until(lambda: "paused" in shown(), "the work to be paused again")
            click(driver, "button", way)
            until(lambda: counts() == {"waiting": 1}, f"“{way}” to have it tried again")
            until(lambda: "1 waiting" in shown(), "the page to say so")
            click(driver, "button", "Resume")
            until(lambda: counts() == {"dead": 1} and "1 failed" in shown(), "it to be given up again")
    assert library.call("DELETE", f"/v1/assets/{asset}")[0] == 204


def end_login(context):
    """Somebody's login is ended by keys: its button says whose it is, and the focus does not go to the button that would end one's own."""
    driver, library = context.driver, context.library
    with context.another_browser() as other:
        context.enter(other)
    logins = lambda: len(library.get("/v1/admin/web-logins")["sessions"])
    before = logins()
    go(context, "?view=sessions")
    # The own one comes first, then the newest.
    second = "#content [aria-label='Logged in'] tbody tr:nth-child(2) button"
    wait(driver, second)
    name = driver.execute_script("return document.querySelector(arguments[0]).getAttribute('aria-label')", second)
    assert name.startswith("Log out: ") and "keeper" in name and ", Chrome on Linux, since " in name, name
    assert "Chrome on Linux" in text_of(driver, "#content [aria-label='Logged in'] td[data-head=Browser]"), "the own browser has no name"
    focus(driver, second)
    press(driver, Keys.ENTER)
    until(lambda: logins() == before - 1, "the login to end")
    rows = "return document.querySelectorAll(`#content [aria-label='Logged in'] tbody tr`).length"
    until(lambda: driver.execute_script(rows) == before - 1, "the list without it")
    there = "const { activeElement: one } = document; return Boolean(one.closest(`[aria-label='Logged in']`)) && one.getAttribute('aria-label')"
    until(lambda: driver.execute_script(there), "the focus in the list")
    assert driver.execute_script(there) != "Log out: this browser", "the next Enter would end the own login"


ALL = [answers, inbox_live, inbox_question, answered_elsewhere, read_question, concurrent, held, picker_without_access, jobs, end_login]
