"""Logins, requests for more access, and the picker in each of its styles."""

import contextlib
import http.server
import json
import pathlib
import ssl
import subprocess
import threading
import urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PATIENCE, click, gone, until, use, wait
from hands import TILE, click_on, click_tile, focus, go, photos, press, select, text_of, tile_ids, write
from library import HOSTILE

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "Examples/WallPicker/index.html"
CHOSEN = "return [...document.querySelectorAll('.tile.chosen')].map((one) => one.dataset.id)"


def open_session(context, style="", driver=None, **request):
    """Creates a picker session of a caller without access, and opens the person's page; returns the session."""
    driver, library = driver or context.driver, context.library
    status, session = library.call("POST", "/v1/picker/sessions", {"purpose": "A calendar for the hall.", **request})
    assert status == 201, session
    uri = urllib.parse.urlsplit(session["pickURI"])
    driver.get(f"{library.address}{uri.path}{style}#{uri.fragment}")
    photos(driver)
    assert "#" not in driver.current_url, "the secret stays in the address"
    return session


def items(context, session):
    return [one["id"] for one in context.library.get(f"/v1/picker/sessions/{session['id']}/items")["items"]]


def password_login(context):
    """Password login: a wrong one is refused, the right one opens the gallery; the session is listed and ended."""
    library = context.library
    status, answer = library.call("PUT", "/v1/admin/operators/passwords/keeper", {"password": "correct horse battery"})
    assert status == 204, answer
    with context.another_browser() as driver:
        driver.get(f"{library.address}/login")
        click(driver, "summary", "password")
        for attempt in ("wrong horse battery", "correct horse battery"):
            if attempt.startswith("wrong"):
                write(driver, "input[autocomplete=username]", "keeper")
            write(driver, "input[type=password]", attempt, Keys.ENTER)
            if attempt.startswith("wrong"):
                wait(driver, ".banner[role=alert]")
                focus = "return document.activeElement.type === 'password' && document.querySelector('[autocomplete=username]').value"
                until(lambda: driver.execute_script(focus) == "keeper", "the name to stay, and the password to be asked for again")
                context.shot("login-refused", driver)
        wait(driver, TILE)
        go(context, "?view=sessions", driver)
        until(lambda: "Log out" in text_of(driver, "#content"), "the list of sessions")
        until(lambda: "keeper" in text_of(driver, "#content"), "who is logged in")
        until(lambda: text_of(driver, "#content").count("keeper this browser") == 1, "one session to be this browser's")
        others = len(library.get("/v1/admin/web-logins")["sessions"])
        own = library.get("/v1/admin/web-logins")["sessions"][-1]["id"]
        assert library.call("DELETE", f"/v1/admin/web-logins/{own}")[0] == 204
        assert len(library.get("/v1/admin/web-logins")["sessions"]) == others - 1
        go(context, "", driver)
        wait(driver, ".plain .card")


def expansion(context):
    """A limited device asks for more; the inbox shows why, and the gallery adds one photo."""
    driver, library = context.driver, context.library
    device = library.get(f"/v1/admin/devices/{library.assets()[0]['deviceID']}")
    status, answer = library.call("POST", f"/v1/admin/devices/{device['id']}/decision", {"answer": "selected"})
    assert status == 200, answer
    status, answer = library.as_device("camera", "POST", "/v1/selection/expansions", {"reason": f"The wall is empty. {HOSTILE}"})
    assert status < 300, answer
    go(context, "?view=inbox")
    until(lambda: "asks to see more" in text_of(driver, ".card"), "the request for more")
    until(lambda: "The wall is empty." in text_of(driver, ".card"), "the reason")
    context.shot("expansion")
    click(driver, "button", "Choose photos")
    until(lambda: "sees" in text_of(driver, "h1"), "the selection's page")
    photos(driver)
    before = library.get(f"/v1/admin/selections/{device['id']}")["assets"]
    added = next(asset for asset in tile_ids(driver) if asset not in before)
    click_tile(driver, added)
    until(lambda: f"{len(before) + 1} photo" in text_of(driver, ".selection-bar"), "one more chosen")
    click(driver, "button", "Save selection")
    until(lambda: added in library.get(f"/v1/admin/selections/{device['id']}")["assets"], "the selection to be saved")
    until(lambda: library.get("/v1/admin/requests").get("expansions", []) == [], "the question to be answered")
    status, _ = library.as_device("camera", "GET", f"/v1/assets/{added}")
    assert status == 200, f"the device is answered {status}"


def expansion_refused(context):
    """A request for more is refused: nothing is added, it leaves the inbox, and the device may ask again."""
    driver, library = context.driver, context.library
    shown, hidden = [one["id"] for one in library.assets()[:2]]
    device = library.admit("east wall", "east", "selected")
    status, answer = library.call("PUT", f"/v1/admin/selections/{device}", {"assets": [shown], "rules": [], "grantedAlbums": []})
    assert status == 200, answer
    for _ in range(2):
        status, answer = library.as_device("east", "POST", "/v1/selection/expansions", {"reason": "The other wall is empty."})
        assert status < 300, answer
        go(context, "?view=inbox")
        until(lambda: "The other wall is empty." in text_of(driver, "#content"), "the question")
        click(driver, ".card button", "Refuse")
        until(lambda: library.get("/v1/admin/requests").get("expansions", []) == [], "the question to be closed")
        until(lambda: "sees no more than before" in text_of(driver, "#notices"), "the page to say so")
        until(lambda: "The other wall is empty." not in text_of(driver, "#content"), "the card to go")
    selection = library.get(f"/v1/admin/selections/{device}")
    assert selection["assets"] == [shown], f"a refusal changed the selection of {shown}: {selection}"
    assert library.as_device("east", "GET", f"/v1/assets/{shown}")[0] == 200
    assert library.as_device("east", "GET", f"/v1/assets/{hidden}")[0] == 404, "a refusal showed more"


def picker(context):
    """A caller without access asks for two photos, and gets exactly these, in order, without location."""
    driver, library = context.driver, context.library
    session = open_session(context, purpose=f"A calendar for the hall. {HOSTILE}", selectionLimit=2, isOrdered=True, filter="images")
    for sign in (session["code"], "A calendar for the hall", "receives only what you choose", "up to 2 photos", "without location"):
        until(lambda: sign in text_of(driver, "#badge"), f"{sign} in the badge")
    for asset in tile_ids(driver)[:3]:
        click_tile(driver, asset)
    until(lambda: "At most 2 photos" in text_of(driver, "#notices"), "the limit")
    until(lambda: "2 of 2" in text_of(driver, "#badge"), "two chosen")
    chosen = driver.execute_script(CHOSEN)
    places = "return [...document.querySelectorAll('.tile.chosen .check')].map((one) => one.dataset.place)"
    until(lambda: driver.execute_script(places) == ["1", "2"], "the places in the order of choosing")
    context.shot("picker")
    click(driver, "button", "Review")
    wait(driver, ".covers img")
    click_on(driver, '.covers li:first-child [aria-label="Later"]')
    until(lambda: driver.execute_script("return document.querySelectorAll('.covers img').length") == 2, "both in the review")
    context.shot("picker-review")
    click(driver, "button", "Hand over")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    context.shot("picker-done")
    assert items(context, session) == chosen[::-1], "the order is not the one of the review"
    driver.refresh()
    until(lambda: "ended" in text_of(driver, "#content"), "the link to be dead")


def picker_options(context):
    """The person withholds more than requested; the onboarding line is shown once; nothing is handed over after Cancel."""
    driver, library = context.driver, context.library
    session = open_session(context, strip=[], encoding="current")
    until(lambda: "with location" in text_of(driver, "#badge"), "what is handed over")
    driver.execute_script("localStorage.clear()")
    driver.refresh()
    focus(driver, "#badge .banner button")
    press(driver, Keys.ENTER)
    gone(driver, "#badge .banner")
    assert driver.execute_script("return document.activeElement.id") == "content", "the focus is lost with what was understood"
    click(driver, "button", "Options")
    click_on(driver, "dialog.ask input[type=checkbox]")
    assert not driver.find_elements(By.CSS_SELECTOR, "dialog.ask input[value=original]"), "originals were not asked for"
    click_on(driver, "dialog.ask input[value=compatible]")
    context.shot("picker-options")
    click(driver, "dialog button", "Apply")
    until(lambda: "photos as JPEG, movies as H.264, without location" in text_of(driver, "#badge"), "the options in view")
    asset = next(one["id"] for one in library.assets() if one.get("location") and one["id"] in tile_ids(driver))
    click_tile(driver, asset)
    until(lambda: "1 of 1" in text_of(driver, "#badge"), "one chosen")
    click(driver, "button", "Hand over")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert items(context, session) == [asset]
    status, content = library.call("GET", f"/v1/picker/sessions/{session['id']}/items/{asset}")
    assert status == 200, content
    assert not context.has_location(content), "the place was handed over"
    open_session(context)
    assert "receives only what you choose" not in text_of(driver, "#badge"), "the onboarding comes again"
    click(driver, "button", "Cancel")
    until(lambda: "Nothing was handed over" in text_of(driver, "#content"), "the end")


def picker_styles(context):
    """Inline and compact styles: less around the photos, but always the caller, the code, the count and the expiry."""
    driver = context.driver
    for style in ("inline", "compact"):
        session = open_session(context, f"?style={style}", selectionLimit=3, isOrdered=True)
        for sign in (session["code"], "Ends", "0 of 3", "A calendar for the hall"):
            until(lambda: sign in text_of(driver, "#badge"), f"{sign} in the badge")
        for asset in tile_ids(driver)[:2]:
            click_tile(driver, asset)
        until(lambda: "2 of 3" in text_of(driver, "#badge"), "two chosen")
        context.shot(f"picker-{style}")
        if style == "compact":
            assert not driver.find_elements(By.CSS_SELECTOR, ".scroller"), "the compact style is one row"
            tops = "return new Set([...document.querySelectorAll('.tile')].map((one) => one.offsetTop)).size"
            until(lambda: driver.execute_script(tops) == 1, "one row")
            focus(driver, ".tile")
            press(driver, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, " ")
            until(lambda: "3 of 3" in text_of(driver, "#badge"), "a third by keys")
        click(driver, "button", "Hand over")
        until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
        assert len(items(context, session)) == (3 if style == "compact" else 2)


def picker_by_agent(context):
    """`tintype-agent pick` on a box without access: its link opens the page, and it downloads what was picked."""
    driver, library = context.driver, context.library
    library.admit("badge printer", "printer", "add-only")
    folder = library.folder / "badges"
    arguments = ["pick", folder, "--purpose", "A picture for the badge.", "--filter", "images", "--json"]
    program = subprocess.Popen([library.programs / "tintype-agent", *arguments, *library.agent_settings("badge printer", "printer")],
                               stdout=subprocess.PIPE, text=True)
    try:
        session = json.loads(program.stdout.readline())
        driver.get(session["link"])
        photos(driver)
        for sign in (session["code"], "badge printer", "A picture for the badge."):
            until(lambda: sign in text_of(driver, "#badge"), f"{sign} in the badge")
        click_tile(driver, tile_ids(driver)[0])
        until(lambda: "1 of 1" in text_of(driver, "#badge"), "one chosen")
        click(driver, "button", "Hand over")
        until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
        rest, _ = program.communicate(timeout=PATIENCE)
        files = [path for item in json.loads(rest)["items"] for path in item["files"]]
        assert program.returncode == 0 and len(files) == 1, rest
        assert pathlib.Path(files[0]).read_bytes()[:3] == b"\xff\xd8\xff" and list(folder.iterdir()) == [pathlib.Path(files[0])], files
    finally:
        program.kill()
        program.wait()


def picker_continuous(context):
    """A continuous session reports each photo as it is picked, and its removal."""
    driver = context.driver
    session = open_session(context, selectionLimit=5, isContinuous=True)
    until(lambda: "receives each photo as you choose it" in text_of(driver, "#badge"), "what a continuous session does")
    chosen = tile_ids(driver)[:2]
    for count, asset in enumerate(chosen, 1):
        click_tile(driver, asset)
        until(lambda: len(items(context, session)) == count, f"{count} received before Done")
    click_tile(driver, chosen[0])
    until(lambda: items(context, session) == chosen[1:], "one taken back")
    click(driver, "button", "Cancel")
    until(lambda: "Nothing was handed over" in text_of(driver, "#content"), "the end")


def picker_rearranged(context):
    """The caller removes a photo from a continuous session: the page shows it and continues from there."""
    driver, library = context.driver, context.library
    session = open_session(context, selectionLimit=0, isContinuous=True, isOrdered=True, disabledCapabilities=["selectionActions", "search", "stagingArea"])
    assert not driver.find_elements(By.CSS_SELECTOR, "input[type=search], #choice button.primary"), "search and Done are offered"
    chosen = tile_ids(driver)[:3]
    for count, asset in enumerate(chosen, 1):
        click_tile(driver, asset)
        until(lambda: len(items(context, session)) == count, f"{count} received")
    assert "Review" not in text_of(driver, "#choice"), "a review is offered without a staging area"
    status, answer = library.call("PATCH", f"/v1/picker/sessions/{session['id']}", {"deselected": [chosen[1]], "moved": [{"id": chosen[2]}]})
    assert status == 200, answer
    until(lambda: driver.execute_script(CHOSEN) and "changed the selection" in text_of(driver, "#notices"), "the page to follow")
    until(lambda: set(driver.execute_script(CHOSEN)) == {chosen[0], chosen[2]}, "one to be given back")
    click_tile(driver, chosen[1])
    until(lambda: items(context, session) == [chosen[2], chosen[0], chosen[1]], "the choice to go on from there")
    status, _ = library.call("DELETE", f"/v1/picker/sessions/{session['id']}")
    assert status == 204
    until(lambda: "ended" in text_of(driver, "#content"), "the end to be shown")


@contextlib.contextmanager
def wall(library, session):
    """The sample page over TLS, with a server that hands it a session; yields its origin, and the sessions that it reported as done.

    The page also records all messages, and whether the frame has loaded.
    """
    key, chain = library.folder / "wall.key", library.folder / "wall.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=wall",
                    "-days", "2", "-keyout", key, "-out", chain], check=True, capture_output=True)
    page = (SAMPLE.read_text() + """<script>
        window.told = []; window.hasLoaded = false;
        addEventListener('message', (event) => window.told.push({ ...event.data, origin: event.origin }));
        document.querySelector('iframe').addEventListener('load', (event) => { window.hasLoaded = event.target.src !== ''; });
        </script>""").encode()
    done = []

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(page, "text/html; charset=utf-8")

        def do_POST(self):
            if self.path != "/picker-session":
                done.append(self.path.split("/")[2])
            self.answer(json.dumps({"library": library.address, "session": session}).encode(), "application/json")

        def answer(self, body, content_type):
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page, bind_and_activate=False)
    server.socket.close()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(chain, key)
    server.socket = tls.wrap_socket(library.wall.dup(), server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield library.wall_origin, done
    finally:
        server.shutdown()


def picker_framed(context):
    """Embedded in an allowed origin the picker works and reports its state to the sample page; other origins cannot embed it."""
    driver, library = context.driver, context.library
    status, session = library.call("POST", "/v1/picker/sessions", {"purpose": "A picture for the wall."})
    assert status == 201, session
    with wall(library, session) as (origin, done):
        driver.get(origin.replace("127.0.0.1", "localhost"))
        until(lambda: driver.execute_script("return window.hasLoaded"), "the frame of another origin")
        driver.switch_to.frame(0)
        assert not driver.find_elements(By.CSS_SELECTOR, "#badge"), "anybody may frame the picker"
        driver.switch_to.default_content()
        driver.get(origin)
        until(lambda: driver.execute_script("return window.hasLoaded"), "the frame of the allowed origin")
        driver.switch_to.frame(0)
        photos(driver)
        click_tile(driver, tile_ids(driver)[0])
        until(lambda: "1 of 1" in text_of(driver, "#badge"), "one chosen")
        click(driver, "button", "Hand over")
        until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
        driver.switch_to.default_content()
        told = until(lambda: (lambda all: all and all[-1]["event"] == "done" and all)(driver.execute_script("return window.told")), "the page to be told")
        assert {one["event"] for one in told} == {"ready", "changed", "done"}, told
        assert all(one["origin"] == library.address and one["session"] == session["id"] and one["type"] == "tintype.picker" for one in told), told
        assert set(told[-1]) == {"type", "version", "session", "event", "count", "origin"} and told[-1]["count"] == 1, told
        assert len(items(context, session)) == 1
        until(lambda: "Thank you" in text_of(driver, "#state"), "the sample page's thanks")
        until(lambda: done == [session["id"]], "the sample page's server to be told")
        forged = {**told[0], "event": "cancelled"}
        driver.execute_script("postMessage(arguments[0], '*')", forged)
        until(lambda: driver.execute_script("return window.told.at(-1).event") == "cancelled", "the forged message")
        assert "Thank you" in text_of(driver, "#state"), "the sample page believes messages that are not the library's"
    driver.get_log("browser")  # The refusal to be framed was meant to be.


def picker_by_keys(context):
    """A whole picker session by keyboard, with search and an album."""
    driver = context.driver
    session = open_session(context, selectionLimit=2)
    write(driver, "input[type=search]", "nosuchword")
    until(lambda: "Nothing to choose" in text_of(driver, "#content"), "the empty search")
    use(driver, "input[type=search]", lambda field: field.clear())
    write(driver, "input[type=search]", Keys.ENTER)
    photos(driver)
    for _ in range(60):
        press(driver, Keys.TAB)
        if driver.execute_script("return document.activeElement.matches('.tile')"):
            break
    press(driver, " ")
    until(lambda: "1 of 2" in text_of(driver, "#badge"), "one chosen")
    for _ in range(60):
        if "Hand over" in driver.execute_script("return document.activeElement.textContent"):
            break
        press(driver, Keys.TAB)
    press(driver, Keys.ENTER)
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert len(items(context, session)) == 1


def picker_by_album(context):
    """An album filters the photos on offer; the selection stays, and the session's filter holds."""
    driver, library = context.driver, context.library
    shown = library.assets()
    movie = next(one["id"] for one in shown if one["mediaType"] == 2)
    stills = [one["id"] for one in shown if one["mediaType"] == 1]
    album = library.add_album("For the hall", [*stills[2:5], movie])
    session = open_session(context, selectionLimit=3, filter="images")
    click_tile(driver, stills[0])
    until(lambda: "1 of 3" in text_of(driver, "#badge"), "one chosen before the album")
    select(driver, "select[aria-label='Any album']", "For the hall")
    until(lambda: sorted(tile_ids(driver)) == sorted(stills[2:5]), "the album's photos without its movie")
    photos(driver)
    context.shot("picker-album")
    click_tile(driver, stills[3])
    until(lambda: "2 of 3" in text_of(driver, "#badge"), "one of the album")
    select(driver, "select[aria-label='Any album']", "Any album")
    until(lambda: set(driver.execute_script(CHOSEN)) == {stills[0], stills[3]}, "both still chosen among all")
    click(driver, "button", "Hand over")
    until(lambda: "Handed over" in text_of(driver, "#content"), "the end")
    assert set(items(context, session)) == {stills[0], stills[3]}
    assert library.call("DELETE", f"/v1/albums/{album}")[0] == 204


ALL = [password_login, expansion, expansion_refused, picker, picker_options, picker_styles, picker_by_agent, picker_continuous, picker_rearranged, picker_framed, picker_by_keys,
       picker_by_album]
