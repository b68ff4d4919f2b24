"""Cameras: admission by token and QR code, naming, filters, the audit, albums' covers."""

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from approve import CARD
from browser import DESKTOP, PHONE, click, gone, named, settled, until, wait
from hands import at_time, choose, click_on, focus, go, leave_viewer, photos, press, select, text_of, told, write
from states import library

MATRIX = """
    const picture = document.querySelector('svg.qr'), size = Number(picture.getAttribute('viewBox').split(' ')[2]);
    const dark = new Set([...picture.querySelector('path').getAttribute('d').matchAll(/M(\\d+) (\\d+)h1v1h-1z/g)].map((one) => `${one[1]},${one[2]}`));
    return Array.from({ length: size - 8 }, (_, y) => Array.from({ length: size - 8 }, (_, x) => dark.has(`${x + 4},${y + 4}`)));
"""


def read_qr(rows):
    """Decodes an undamaged QR code of level M, independently of the page's code."""
    size = len(rows)
    version = (size - 17) // 4
    bits = [rows[place[1]][place[0]] for place in [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8), (5, 8), (4, 8), (3, 8), (2, 8), (1, 8), (0, 8)]]
    said = sum(bit << index for index, bit in enumerate(bits)) ^ 0x5412
    assert said >> 13 == 0, "not of level M"
    mask = [lambda x, y: (x + y) % 2, lambda x, y: y % 2, lambda x, y: x % 3, lambda x, y: (x + y) % 3, lambda x, y: (x // 3 + y // 2) % 2,
            lambda x, y: x * y % 2 + x * y % 3, lambda x, y: (x * y % 2 + x * y % 3) % 2, lambda x, y: ((x + y) % 2 + x * y % 3) % 2][said >> 10 & 7]
    count = version // 7 + 2
    step = {True: 0}.get(version == 1) or -(-(version * 4 + 4) // (2 * count - 2)) * 2
    places = [6] + [size - 7 - step * (count - 2 - index) for index in range(count - 1)] if version > 1 else []

    def is_fixed(x, y):
        if x == 6 or y == 6 or (x < 9 and y < 9) or (x >= size - 8 and y < 9) or (x < 9 and y >= size - 8):
            return True
        if version >= 7 and ((x >= size - 11 and y < 6) or (x < 6 and y >= size - 11)):
            return True
        corners = [(6, 6), (6, size - 7), (size - 7, 6)]
        return any(abs(x - column) <= 2 and abs(y - row) <= 2 for column in places for row in places if (column, row) not in corners)

    stream, up, right = [], True, size - 1
    while right > 0:
        right -= right == 6
        for y in range(size - 1, -1, -1) if up else range(size):
            stream += [rows[y][x] ^ (mask(x, y) == 0) for x in (right, right - 1) if not is_fixed(x, y)]
        up, right = not up, right - 2
    codewords = [sum(bit << 7 - place for place, bit in enumerate(stream[index:index + 8])) for index in range(0, len(stream) - 7, 8)]
    # Blocks of level M by version: blocks of the first length, codewords of data in one, blocks of the second, codewords in one.
    blocks = {5: (2, 43, 0, 0), 6: (4, 27, 0, 0), 7: (4, 31, 0, 0), 8: (2, 38, 2, 39), 9: (3, 36, 2, 37), 10: (4, 43, 1, 44), 11: (1, 50, 4, 51), 12: (6, 36, 2, 37)}[version]
    lengths = [blocks[1]] * blocks[0] + [blocks[3]] * blocks[2]
    made = [[] for _ in lengths]
    order = [index for place in range(max(lengths)) for index, length in enumerate(lengths) if place < length]
    for index, codeword in zip(order, codewords):
        made[index].append(codeword)
    data = "".join(f"{codeword:08b}" for block in made for codeword in block)
    assert data[:4] == "0100", "not in bytes"
    width = 8 if version < 10 else 16
    length = int(data[4:4 + width], 2)
    return bytes(int(data[4 + width + 8 * index:12 + width + 8 * index], 2) for index in range(length))


def admit_by_token(context):
    """A token made on the page: command and QR code agree, the token admits a box, and can be revoked; one for all of the library is asked about."""
    driver, made = context.driver, context.library
    go(context, "?view=devices")
    click(driver, "button", "Admit a camera")
    write(driver, "dialog.ask [name=tags]", "porch, outdoors")
    context.shot("admit-form")
    click(driver, "dialog.ask button", "Create token")
    command = until(lambda: text_of(driver, "dialog.ask .command"), "the command")
    assert read_qr(driver.execute_script(MATRIX)).decode() == command, command
    context.shot("admit-token")
    token = command.split("--token ")[1]
    click(driver, "dialog.ask button", "Done")
    gone(driver, "dialog.ask")
    made.run("tintype-agent", "enroll", made.address, "--token", token, *made.agent_settings("porch", "porch"))
    device = next(one for one in made.get("/v1/admin/devices")["devices"] if one["name"] == "porch")
    assert device["tags"] == ["porch", "outdoors"] or set(device["tags"]) == {"porch", "outdoors"}, device
    click(driver, "button", "Admit a camera")
    click(driver, "dialog.ask button", "Create token")
    wait(driver, "dialog.ask .command")
    click(driver, "dialog.ask button", "Done")
    gone(driver, "dialog.ask")
    click(driver, "button", "Admit a camera")
    focus(driver, "dialog.ask .tokens button")
    press(driver, Keys.ENTER)
    gone(driver, "dialog.ask .tokens")
    assert driver.execute_script("return document.activeElement.matches('dialog.ask .stack')"), "the focus is lost with the token"
    left = [one for one in made.get("/v1/admin/enrollment-tokens")["tokens"] if one["usesLeft"] > 0 and one["createdBy"] == "keeper"]
    assert not left, left
    # A token for all of the library is made only after a question.
    whole = lambda: [one["id"] for one in made.get("/v1/admin/enrollment-tokens")["tokens"] if one["maximum"] == "readWrite"]
    click_on(driver, "dialog.ask input[value=readWrite]")
    click(driver, "dialog.ask button", "Create token")
    named(driver, "dialog.ask button", "Open everything")
    press(driver, Keys.ESCAPE)
    until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "dialog.ask")) == 1, "the question to go")
    assert not whole(), "the token was made without an answer"
    click(driver, "dialog.ask button", "Create token")
    click(driver, "dialog.ask button", "Open everything")
    wait(driver, "dialog.ask .command")
    [token] = whole()
    click(driver, "dialog.ask button", "Done")
    gone(driver, "dialog.ask")
    assert made.call("DELETE", f"/v1/admin/enrollment-tokens/{token}")[0] < 300


def admit_address(context):
    """The command for a box names the host by which the page was opened where the server knows itself only as this machine, and else the server's own."""
    driver, made = context.driver, context.library
    for told_address, shown in (("https://localhost:8443", made.address), ("https://[::1]", made.address), ("https://localhost.example:8443", "https://localhost.example:8443")):
        with told(driver, f"if (body?.token) body.address = '{told_address}';"):
            go(context, "?view=devices")
            click(driver, "button", "Admit a camera")
            click(driver, "dialog.ask button", "Create token")
            command = until(lambda: text_of(driver, "dialog.ask .command"), "the command")
            assert command.startswith(f"tintype-agent enroll {shown} --token "), command
            warns = "server’s own machine reaches this address" in text_of(driver, "dialog.ask")
            assert warns == (shown == made.address), f"{shown}: {warns}"
            click(driver, "dialog.ask button", "Done")
            gone(driver, "dialog.ask")
    for one in made.get("/v1/admin/enrollment-tokens")["tokens"]:
        if one["createdBy"] == "keeper":
            made.call("DELETE", f"/v1/admin/enrollment-tokens/{one['id']}")


def rename_camera(context):
    """A camera is renamed, tagged and given an album on its page; the filter offers the new name at once."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    before = made.get(f"/v1/admin/devices/{device}")
    go(context, f"?view=devices&id={device}")
    click(driver, "button", "Rename, tags and album")
    field = "dialog.ask [name=name]"
    wait(driver, field)
    driver.execute_script("document.querySelector(arguments[0]).value = ''", field)
    write(driver, field, "harbour gate")
    write(driver, "dialog.ask [name=tags]", "outdoors")
    context.shot("rename-camera")
    click(driver, "dialog.ask button", "Save")
    until(lambda: text_of(driver, "h1") == "harbour gate" and "outdoors" in text_of(driver, "dl"), "the new name and tag")
    click(driver, "button", "Its photos")
    until(lambda: text_of(driver, "h1") == "harbour gate", "the name over its photos")
    status, answer = made.call("PATCH", f"/v1/admin/devices/{device}", {"name": before["name"], "tags": before.get("tags", [])})
    assert status == 200, answer


def offered_types(context):
    """The menu of types offers what the library holds an asset of, and what is chosen already."""
    driver, made = context.driver, context.library
    told = set(made.get("/v1/timeline?kinds=true")["kinds"])
    assert {"images", "livePhotos", "bursts"} <= told and not told & {"panoramas", "screenRecordings", "depthEffectPhotos", "cinematicVideos"}, told
    offered = """return [...document.querySelectorAll('[aria-label="All types"] option')].filter((one) => !one.hidden).map((one) => one.value)"""
    watched = {"", "images", "live", "bursts", "panoramas", "screenRecordings", "depth", "cinematic"}
    for name in ("", "panoramas", "screenRecordings", "depth", "cinematic"):
        go(context, f"?type={name}" if name else "")
        click(driver, ".filters button", "Filter")
        until(lambda: "images" in driver.execute_script(offered) and "screenshots" not in driver.execute_script(offered), "the menu to know the kinds")
        assert set(driver.execute_script(offered)) & watched == {"", "images", "live", "bursts", name}
        assert len(driver.find_elements(By.CSS_SELECTOR, ".filters .chip")) == bool(name), "the chip"
    click(driver, ".filters button", "Filter")
    # A type that there is not filters nothing, and no chip says otherwise.
    go(context, "?type=nonsense")
    wait(driver, ".filters button")
    assert not driver.find_elements(By.CSS_SELECTOR, ".filters .chip"), "a chip without a filter"


def withdraw_consent(context):
    """What a box says of its cameras is on its page; a consent is taken back after a question, and the box follows at its next contact."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    shown = lambda: made.get(f"/v1/admin/devices/{device}")
    statuses = lambda: {(one["capability"], one["device"]): one["status"] for one in shown().get("consents", [])}
    made.run("tintype-agent", "consent", "set", "camera", "authorized", *made.camera)
    with made.service():
        camera = until(lambda: next((key for key, status in statuses().items() if key[0] == "camera" and status == "authorized"), None), "the box to tell of its camera")
        name = f"Withdraw: Camera {camera[1]}"
        go(context, f"?view=devices&id={device}")
        click(driver, "button", name)
        context.shot("withdraw-consent")
        press(driver, Keys.ESCAPE)
        gone(driver, "dialog[open]")
        assert "consentWithdrawals" not in shown(), "it was only asked for"
        click(driver, "button", name)
        click(driver, "dialog[open] .actions button.danger", "Withdraw")
        until(lambda: "stops at its next contact" in text_of(driver, ".page") or "not allowed" in text_of(driver, ".page"), "the withdrawal")
    for _ in ("to be told", "to say what holds now"):
        made.run("tintype-agent", "sync", "--once", *made.camera)
    assert statuses()[camera] == "denied", statuses()
    go(context, f"?view=devices&id={device}")
    until(lambda: "not allowed" in text_of(driver, ".page"), "what the box says now")
    assert not driver.execute_script("return [...document.querySelectorAll('button')].some((one) => one.getAttribute('aria-label') === arguments[0])", name)
    context.shot("consent-denied")
    made.run("tintype-agent", "consent", "reset", "camera", *made.camera)


def renewed_certificate(context):
    """D19: a certificate that ended is no alarm: the device renews it when it calls next."""
    driver, made = context.driver, context.library
    camera = made.assets()[0]["deviceID"]
    # The page reads the device and then follows the list of all.
    with told(driver, "for (const one of [body, ...body?.devices ?? []]) if (one?.certificateExpires) one.certificateExpires = ago(49);"):
        go(context, f"?view=devices&id={camera}")
        until(lambda: "is renewed at the next contact" in text_of(driver, "#content"), "what becomes of it")
        assert "49 seconds" not in text_of(driver, "#content"), text_of(driver, "#content")


def devices_by_age(context):
    """Devices that need somebody come first, then who called last; silence is told by a word with a colour."""
    driver = context.driver
    made_up = """if (body?.devices) {
        const [one] = body.devices, at = (name, seconds, state = 'active') => ({ ...one, id: `${one.id.slice(0, -2)}${name.length + 10}`, name, state, lastSeen: ago(seconds), lookAlikes: [] });
        body.devices = [at('silent for weeks', 20 * 86400), at('gone', 60, 'revoked'), at('quiet since Monday', 3 * 86400), at('here', 20), at('a copy', 86400 * 9, 'suspect')];
    }"""
    rows = "return [...document.querySelectorAll('#content tbody tr')].map((row) => [row.querySelector('a').textContent, row.querySelector('td:nth-child(4) .status')?.textContent ?? '', row.querySelector('td:nth-child(4) .status')?.className ?? ''])"
    with told(driver, made_up):
        go(context, "?view=devices")
        until(lambda: len(driver.execute_script(rows)) == 5, "the devices")
        names, words, colours = zip(*driver.execute_script(rows))
    assert names == ("a copy", "here", "quiet since Monday", "silent for weeks", "gone"), names
    assert [word.strip() for word in words] == ["silent", "", "quiet", "silent", ""], words
    assert "waiting" in colours[2] and "bad" in colours[3], colours


def many_cameras(context):
    """Devices beyond the first page of their list are shown, named, counted and found everywhere."""
    driver, made = context.driver, context.library
    code = made.newcomer("ferry", folder="ferry")
    ferry = next(one["id"] for one in made.get("/v1/admin/devices")["devices"] if one.get("verificationCode") == code)
    status, session = made.as_device("camera", "POST", "/v1/picker/sessions", {"purpose": "One of many."})
    assert status == 201, session
    # The real devices are on the second page.
    pages = """if (/admin\\/devices\\?/.test(this.url)) {
        if (this.url.includes('after=')) Object.assign(body, { devices: window.others, next: null });
        else {
            const [one] = window.others = body.devices;
            Object.assign(body, { devices: [{ ...one, id: `${one.id.slice(0, -2)}00`, name: 'first of many', state: 'active', lookAlikes: [] }], next: one.id });
        }
    }"""
    with told(driver, pages):
        go(context, "?view=inbox")
        until(lambda: driver.execute_script(CARD, code), "the card of who asks")
        until(lambda: text_of(driver, "#places .count").strip()[:1].isdigit(), "the badge")
        go(context, "?view=devices")
        until(lambda: all(name in text_of(driver, "#content table") for name in ("first of many", "gate", "ferry")), "all devices")
        go(context, "?view=audit")
        offered = "return [...document.querySelectorAll('select[name=device] option')].map((one) => one.textContent)"
        until(lambda: "gate" in driver.execute_script(offered), "the devices of the audit")
        go(context, "?view=sessions")
        row = "return [...document.querySelectorAll('#content tr')].find((one) => one.textContent.includes('One of many.'))?.cells[0].textContent"
        until(lambda: driver.execute_script(row) == "gate", "the device's name with its session")
        go(context)
        cameras = "return [...document.querySelectorAll('#cameras option')].map((one) => one.value)"
        until(lambda: "gate" in driver.execute_script(cameras), "the cameras of the filter")
        write(driver, "#top input[type=search]", "gate 2031-05-04", Keys.ENTER)
        until(lambda: "device=" in driver.current_url and "text=" not in driver.current_url, "the camera in the search")
    assert made.call("DELETE", f"/v1/admin/picker-sessions/{session['id']}")[0] < 300
    assert made.call("POST", f"/v1/admin/devices/{ferry}/decision", {"answer": "none"})[0] < 300


def two_cameras(context):
    """A part of two cameras' names asks for more of the name, instead of denying both."""
    driver = context.driver
    gardens = """if (/admin\\/devices\\?/.test(this.url)) {
        const [one] = body.devices;
        body.devices.push(...['west', 'east'].map((side) => ({ ...one, id: `${one.id.slice(0, -4)}${side}`, name: `garden ${side}` })));
    }"""
    field = ".filters [aria-label='Any device']"
    message = "return document.querySelector(arguments[0]).validationMessage"
    with told(driver, gardens):
        go(context)
        until(lambda: driver.find_elements(By.CSS_SELECTOR, field), "the list of cameras")
        click(driver, ".filters button", "Filter")
        write(driver, field, "garden", Keys.TAB)
        until(lambda: "Several cameras" in driver.execute_script(message, field), "the question which of them")
        write(driver, field, "s", Keys.TAB)
        until(lambda: "No camera" in driver.execute_script(message, field), "that there is no such camera")
        write(driver, field, Keys.BACKSPACE, " west", Keys.TAB)
        until(lambda: "device=" in driver.current_url, "the one of them")


def all_on_device_page(context):
    """A device's page asks before it opens the whole library to it."""
    driver, made = context.driver, context.library
    device = made.admit("attic", "attic", "add-only")
    path = f"/v1/admin/devices/{device}"
    level = lambda: made.get(path)["authorization"]["readWrite"]
    go(context, f"?view=devices&id={device}")
    for is_meant in (False, True):
        click(driver, "button", "Change answer")
        click(driver, "dialog.ask button", "All")
        named(driver, "dialog.ask button", "Open everything")
        assert level() != "authorized", "it was opened without an answer"
        if is_meant:
            click(driver, "dialog.ask button", "Open everything")
        else:
            press(driver, Keys.ESCAPE)
        gone(driver, "dialog.ask")
    until(lambda: level() == "authorized", "all of the library")
    focus(driver, ".tools .danger")
    press(driver, Keys.ENTER)
    click(driver, "dialog.ask button", "Revoke")
    gone(driver, ".tools .danger")
    until(lambda: driver.execute_script("return document.activeElement.id") == "content", "the focus on the page, as the button is gone")


def album_cover(context):
    """The selected photo of an album becomes its cover; Undo shows the album by the photo of before."""
    driver, made = context.driver, context.library
    ids = [one["id"] for one in made.assets()][:3]
    album = made.add_album("Covers", ids)
    go(context, f"?view=album&id={album}")
    photos(driver)
    cover = lambda: next(one["album"] for one in made.get("/v1/albums")["albums"] if one["album"]["id"] == album).get("coverAssetID")
    # Without a cover the newest photo is shown.
    for asset, before in ((ids[1], ids[0]), (ids[2], ids[0])):
        choose(driver, [asset])
        click(driver, ".selection-bar button", "Cover")
        until(lambda: cover() == asset, "the cover")
        click(driver, "#notices button", "Undo")
        until(lambda: cover() == before, "the photo of before")
    choose(driver, [ids[2]])
    click(driver, ".selection-bar button", "Cover")
    until(lambda: cover() == ids[2], "the cover")
    go(context, "?view=albums")
    until(lambda: ids[2] in (driver.execute_script(f"""return document.querySelector('[data-id="{album}"] img')?.src""") or ""), "the cover on the wall")
    assert made.call("DELETE", f"/v1/albums/{album}")[0] == 204


def filter_chips(context):
    """Set filters are removable chips; the fields are behind one button, and a camera is found by part of its name."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    go(context, "?from=2024-05-31")
    day = driver.execute_script("return new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.UTC(2024, 4, 31))")
    until(lambda: f"from {day}" in text_of(driver, ".filters .chip"), "the day in the reader's language")
    go(context, "?from=2024-05-31T14:00")
    titles = "return [document.querySelector('.filters .day input')?.title, document.querySelector('.filters .chip')?.firstChild.textContent]"
    until(lambda: (lambda field, chip: field and field == chip)(*driver.execute_script(titles)), "the minute at the field as in the chip")
    go(context, "?rating=1")
    field = ".filters [aria-label='Any device']"
    until(lambda: driver.find_elements(By.CSS_SELECTOR, field), "the list of cameras")
    # Cameras with the same name are listed with the end of their identifiers.
    names = driver.execute_script("return [...document.querySelectorAll('#cameras option')].map((one) => one.value)")
    name = next(one for one in names if one in ("gate", f"gate ({device[-6:]})"))
    until(lambda: "1 star or more" in text_of(driver, ".filters"), "the chip")
    assert not driver.execute_script("return document.querySelector('.filters .fields').checkVisibility()"), "the fields are open"
    click(driver, ".filters button", "Filter")
    write(driver, field, name[:-1], Keys.TAB)
    until(lambda: f"device={device}" in driver.current_url and "rating=1" in driver.current_url, "the camera beside the stars")
    until(lambda: "gate" in text_of(driver, ".filters .chip ~ .chip") or "gate" in text_of(driver, ".filters"), "the camera's chip")
    context.shot("filter-chips")
    click(driver, ".filters button", "Remove filter 1 star or more")
    until(lambda: "rating=" not in driver.current_url and f"device={device}" in driver.current_url, "the camera alone")
    click(driver, ".filters button", "Filter")
    until(lambda: not driver.execute_script("return document.querySelector('.filters .fields').checkVisibility()"), "the fields to close")


def filter_by_keys(context):
    """A filter that is chosen keeps the focus. A date that is typed counts by Enter, not at every digit, in the gallery and in the audit."""
    driver = context.driver
    go(context)
    photos(driver)
    click(driver, ".filters button", "Filter")
    wait(driver, ".filters [aria-label='All types']")
    driver.execute_script("""const menu = document.querySelector('.filters [aria-label="All types"]');
        menu.focus();
        menu.value = 'images';
        menu.dispatchEvent(new Event('change'));""")
    focused = "return document.activeElement.matches(arguments[0])"
    until(lambda: "type=images" in driver.current_url, "the type in the address")
    photos(driver)
    assert driver.execute_script(focused, ".filters [aria-label='All types']"), "the menu lost the focus"
    # A menu has no use for these keys.
    ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    until(lambda: "selected" in text_of(driver, ".selection-bar"), "all of that type")
    press(driver, Keys.ESCAPE)
    gone(driver, ".tile.chosen")
    for place, field in (("", ".filters .day input"), ("?view=audit", "input[name=from]")):
        go(context, place)
        wait(driver, "#content table" if place else ".tile.loaded")
        if not place and not driver.execute_script("return document.querySelector('.filters .fields').checkVisibility()"):
            click(driver, ".filters button", "Filter")
        wait(driver, field)
        driver.execute_script("window.field = document.querySelector(arguments[0]); window.field.focus()", field)
        # A first day and a first month, whichever comes first, and a year.
        press(driver, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN)
        date = until(lambda: driver.execute_script("return window.field.value"), "a whole date")
        driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        assert driver.execute_script("return window.field.isConnected") and "from=" not in driver.current_url, "a date counted before it was finished"
        press(driver, Keys.ENTER)
        until(lambda: f"from={date}" in driver.current_url and driver.execute_script(focused, field), "the date, and the focus where it was typed")
    click(driver, "#content .filters button", "Clear")


def filter_focus(context):
    """The focus goes on from a chip that is removed to the next one, at last to the button; and by Tab from what is typed."""
    driver = context.driver
    name = "const { activeElement: one } = document; return one.getAttribute('aria-label') ?? one.textContent"
    chips = lambda: len(driver.find_elements(By.CSS_SELECTOR, "#content .filters .chip"))
    go(context, "?text=nosuchword&type=images&rating=1")
    until(lambda: chips() == 3, "three chips")
    focus(driver, "[aria-label='Remove filter Photos']")
    for left, expected in ((2, "Remove filter 1 star or more"), (1, "Remove filter “nosuchword”"), (0, "Filter")):
        press(driver, Keys.ENTER)
        until(lambda: chips() == left and driver.execute_script(name) == expected, f"the focus on “{expected}”")
    go(context, "?type=images&rating=1")
    until(lambda: chips() == 2, "two chips")
    focus(driver, ".filters > .quiet-button:nth-last-of-type(1)")
    assert driver.execute_script(name) == "Clear"
    press(driver, Keys.ENTER)
    until(lambda: chips() == 0 and driver.execute_script(name) == "Filter", "the focus on the button of the filter")
    press(driver, Keys.ENTER)
    names = "return [...document.querySelectorAll('#cameras option')].map((one) => one.value)"
    camera = until(lambda: driver.execute_script(names), "the cameras")[0]
    write(driver, ".filters [aria-label='Any device']", camera, Keys.TAB)
    until(lambda: chips() == 1 and driver.execute_script(name) in ("Any album", "Any rating"), "the focus on the field after the camera")
    write(driver, ".filters [aria-label='Keyword']", "nosuchword", Keys.TAB)
    until(lambda: chips() == 2 and driver.execute_script(name) == "Favourites", "the focus on the field after the keyword")
    click(driver, ".filters button", "Clear")


def audit_filters(context):
    """The audit is filtered by event and device, and says if nothing matches."""
    driver = context.driver
    go(context, "?view=audit")
    until(lambda: "Device enrolled" in text_of(driver, "#content table") and "Login" in text_of(driver, "#content table"), "everything")
    select(driver, "select[name=event]", "Device enrolled")
    kinds = "return [...new Set([...document.querySelectorAll('#content td[data-head=What]')].map((one) => one.textContent))]"
    until(lambda: driver.execute_script(kinds) == ["Device enrolled"], "enrolments alone")
    select(driver, "select[name=device]", "gate")
    people = "return [...new Set([...document.querySelectorAll('#content td[data-head=Who]')].map((one) => one.textContent))]"
    until(lambda: driver.execute_script(people) == ["gate"], "those of one device")
    context.shot("audit-filters")
    # No device begins a history: whatever the journeys before have done with this one, nothing matches.
    select(driver, "select[name=event]", "New history")
    until(lambda: "No matching entries" in text_of(driver, "#content"), "that there is nothing")
    driver.execute_script("history.back()")
    until(lambda: driver.execute_script(people) == ["gate"], "those of the device again")
    select(driver, "select[name=event]", "Decision")
    until(lambda: "about gate" in text_of(driver, "#content table"), "which device was decided about")


def audit_words(context):
    """The audit names local users, refused callers and what a token admits to in words."""
    driver = context.driver
    entries = """if (/admin\\/audit\\?/.test(this.url)) {
        const entry = (sequence, event, actor, text) => ({ sequence, time: ago(9), content: { event, actor, new: text } });
        body.entries = new URL(this.url).searchParams.get('after') > 0 ? [] : [
            entry(1, 'policy.change', 'administrator uid:0', 'enrolment token 01a2: addOnly, for 1 device'),
            entry(2, 'admin.login', 'administrator uid:1000', 'limited'),
            entry(3, 'access.denied', 'caller:192.0.2.7', 'GET /v1/assets: identity: missing'),
            entry(4, 'access.denied', 'caller:2001:db8::1', 'GET /v1/assets: identity: missing'),
            entry(5, 'access.denied', 'caller:keeper', 'POST /v1/batches: authorization: devices only'),
            entry(6, 'access.denied', 'caller:uid:0', 'POST /v1/batches: authorization: devices only'),
        ];
    }"""
    column = "return [...document.querySelectorAll(`#content td[data-head=${arguments[0]}]`)].map((one) => one.textContent).reverse()"
    with told(driver, entries):
        go(context, "?view=audit")
        who = until(lambda: driver.execute_script(column, "Who"), "the entries")
        assert who == ["root on the server", "user 1000 on the server", "somebody at 192.0.2.7", "somebody at 2001:db8::1", "keeper", "root on the server"], who
        change = driver.execute_script(column, "Change")
        assert change[:3] == ["enrolment token 01a2: Add only, for 1 device", "limited", "GET /v1/assets: not logged in"], change


def audit_older(context):
    """The audit does not deny a match while older entries are unsearched; the focus is not lost with the button that searches them."""
    driver = context.driver
    long = """if (/admin\\/audit\\?/.test(this.url)) {
        const after = Number(new URL(this.url).searchParams.get('after'));
        body.entries = after < 12000 ? [{ sequence: after + 1, time: ago(1), content: { event: 'admin.login', actor: 'administrator keeper' } }] : [];
    }"""
    with told(driver, long):
        go(context, "?view=audit&event=picker.end")
        until(lambda: "Older entries have not been searched yet" in text_of(driver, "#content"), "what was searched")
        assert "No matching entries" not in text_of(driver, "#content"), text_of(driver, "#content")
        focus(driver, "#content [aria-live] > button")
        press(driver, Keys.ENTER)
        until(lambda: "No matching entries" in text_of(driver, "#content"), "that there is nothing")
        assert driver.execute_script("return document.activeElement.id") == "content", "the focus is lost"
        assert "Older entries" not in text_of(driver, "#content"), text_of(driver, "#content")


def audit_on_by_keys(context):
    """“Older entries” hands the focus to the entries that it brought."""
    driver = context.driver
    long = """if (/admin\\/audit\\?/.test(this.url)) {
        const after = Number(new URL(this.url).searchParams.get('after'));
        body.entries = after < 12000 ? [{ sequence: after + 1, time: ago(1), content: { event: 'admin.login', actor: 'administrator keeper' } }] : [];
    }"""
    with told(driver, long):
        go(context, "?view=audit")
        button = "#content [aria-live] > button"
        wait(driver, button)
        focus(driver, button)
        press(driver, Keys.ENTER)
        tables = "const tables = [...document.querySelectorAll('#content .table')]; return [tables.length, tables.indexOf(document.activeElement)]"
        until(lambda: driver.execute_script(tables) == [2, 1], "the focus on the older entries")


def audit_people(context):
    """The audit is filtered by person and time: typed, by a click in the table, removed by chips, kept in the address."""
    driver, made = context.driver, context.library
    people = "return [...new Set([...document.querySelectorAll('#content td[data-head=Who]')].map((one) => one.textContent))]"
    chips = "return [...document.querySelectorAll('#content .filters .chip')].map((one) => one.textContent)"
    gate = next(one["id"] for one in made.get("/v1/admin/devices")["devices"] if one["name"] == "gate")
    acted = next(one["time"] for one in made.get("/v1/admin/audit?limit=100")["entries"] if gate in one["content"]["actor"])
    with at_time(driver, driver.execute_script("return Date.parse(arguments[0])", acted)):
        go(context, "?view=audit")
        until(lambda: len(driver.execute_script(people)) > 1, "more than one person")
        write(driver, "input[name=typed]", "gate today", Keys.ENTER)
        until(lambda: driver.execute_script(people) == ["gate"], "those by the device")
    assert [one.split()[0] for one in driver.execute_script(chips)] == ["from", "until", "by"], driver.execute_script(chips)
    assert "person=gate" in driver.current_url and "from=" in driver.current_url, driver.current_url
    context.shot("audit-people")
    write(driver, "input[name=typed]", "2001-01-01", Keys.ENTER)
    until(lambda: "No matching entries" in text_of(driver, "#content"), "nothing on a day before the library")
    click(driver, "#content .filters button", "Clear")
    until(lambda: len(driver.execute_script(people)) > 1 and driver.execute_script(chips) == [], "everybody")
    write(driver, "input[name=typed]", "2001-01-01", Keys.ENTER)
    until(lambda: len(driver.execute_script(chips)) == 2, "both ends of the day")
    click(driver, "#content .filters button", "Remove filter until")
    until(lambda: len(driver.execute_script(people)) > 1 and len(driver.execute_script(chips)) == 1, "everything since that day")
    click(driver, "#content td[data-head=Who] button", "gate")
    until(lambda: driver.execute_script(people) == ["gate"], "those by the person in the table")
    driver.get(driver.current_url)
    until(lambda: driver.execute_script(people) == ["gate"] and len(driver.execute_script(chips)) == 2, "the same from the address alone")


def health_links(context):
    """The health page names failed files and damaged originals, and links to their photos."""
    driver, made = context.driver, context.library
    before = {one["id"] for one in made.assets()}
    folder = made.folder / "torn-health"
    folder.mkdir()
    (folder / "half.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xfe\x00\x06half")
    made.run("tintype-agent", "import", str(folder), *made.camera)
    for _ in ("to be told", "to say what holds now"):
        made.run("tintype-agent", "sync", "--once", *made.camera)
    asset = ({one["id"] for one in made.assets()} - before).pop()
    digest = made.get(f"/v1/assets/{asset}")["resources"][0]["digest"]
    until(lambda: [one for one in made.get("/v1/admin/jobs")["jobs"] if one["digest"] == digest and one["state"] in ("dead", "bad")], "the job to be given up")
    go(context, "?view=health")
    until(lambda: digest[:12] in text_of(driver, "#content"), "the job on the page")
    click(driver, "button", f"Show the photo of {digest[:12]}")
    until(lambda: f"asset={asset}" in driver.current_url and driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]"), "the photo itself")
    leave_viewer(driver)
    assert made.call("DELETE", f"/v1/assets/{asset}")[0] == 204
    assert made.call("DELETE", f"/v1/trash/{asset}")[0] == 204
    # So does what a comparison finds: here an original whose last byte is another one.
    damaged = next(one for one in made.assets() if one["resources"][0]["contentType"] == "image/jpeg")
    digest = damaged["resources"][0]["digest"]
    original = next((made.folder / "server/originals").rglob(f"{digest}.*"))
    content, mode = original.read_bytes(), original.stat().st_mode
    original.chmod(0o600)
    original.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    go(context, "?view=health")
    click(driver, "button", "Compare every byte")
    until(lambda: digest in text_of(driver, "#content"), "the damaged original")
    original.write_bytes(content)
    original.chmod(mode)
    click(driver, "button", f"Show the photo of {digest[:12]}")
    until(lambda: f"asset={damaged['id']}" in driver.current_url and driver.find_elements(By.CSS_SELECTOR, "dialog.viewer[open]"), "the photo of the original")
    leave_viewer(driver)


def audited(context):
    """The dialogs and pages of cameras and selections pass the accessibility audits, in light on a desktop and dark on a phone."""
    made = context.library
    moment = made.assets()[0]["captureTime"]["wall"]
    findings = []
    for size, dark in ((DESKTOP, False), (PHONE, True)):
        with context.another_browser(size=size, dark=dark) as driver:
            name = f"{'phone' if size == PHONE else 'desktop'}-{'dark' if dark else 'light'}"

            def look(page):
                settled(driver)
                context.shot(f"{page}-{name}", driver)
                wide = "return document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('dialog[open]')].every((one) => one.scrollWidth <= one.clientWidth)"
                assert driver.execute_script(wide), f"{page} {name}: it is wider than its window"
                findings.extend(f"{page} {name}: {one}" for one in context.audit(driver))

            context.enter(driver)
            photos(driver)
            click(driver, ".filters button", "Filter")
            look("filter")
            driver.execute_script("document.querySelector('.row.heading h3 .choose-all').click()")
            for act, shown in (("Change", "form.bulk"), ("Save", "form"), ("Time-lapse", "img")):
                until(lambda: "selected" in text_of(driver, ".selection-bar"), "the day's photos")
                driver.execute_script("[...document.querySelectorAll('.selection-bar button')].find((one) => one.textContent === arguments[0]).click()", act)
                wait(driver, f"dialog[open] {shown}")
                look(act.lower())
                press(driver, Keys.ESCAPE)
                gone(driver, "dialog[open]")
            go(context, f"?view=moment&id={moment}", driver)
            wait(driver, ".moment button")
            look("moment")
            go(context, "?view=devices", driver)
            click(driver, "button", "Admit a camera")
            wait(driver, "dialog.ask form")
            look("admit")
            click(driver, "dialog.ask button", "Create token")
            wait(driver, "dialog.ask .qr")
            look("token")
    for one in made.get("/v1/admin/enrollment-tokens")["tokens"]:
        if one["createdBy"] == "keeper":
            made.call("DELETE", f"/v1/admin/enrollment-tokens/{one['id']}")
    assert not findings, "\n".join(findings)


def cluster_servers(context):
    """Health lists a cluster's servers: version, last sign of life, clock and duties, and in words what is wrong; a single server is no list."""
    driver = context.driver
    # The clock stands still: what was seen seconds ago would be older by the time that it is shown.
    cluster = """if (/library\\/statistics/.test(this.url)) {
        const now = Date.now();
        Date.now = () => now;
        const server = (host, more) => ({
            id: host, host, folder: '/var/lib/tintype', version: '1.4', seen: ago(3), isAlive: true, clockAheadMilliseconds: 12, duties: [], ...more });
        body.servers = window.isAlone ? undefined : [
            server('north', { duties: ['sweep', 'upkeep'] }), server('south', { version: '1.5', clockAheadMilliseconds: -4200 }),
            server('west', { folder: '/srv/one', isAlive: false, seen: ago(1500), clockAheadMilliseconds: undefined, version: '0.9' }),
            server('west', { folder: '/srv/two', seen: ago(-9), clockAheadMilliseconds: 61000, duties: undefined }),
        ];
    }"""
    rows = """return [...document.querySelectorAll('#content [aria-label=Servers] tbody tr')].map((row) =>
        [...row.cells].map((one) => one.textContent.trim()))"""
    with told(driver, cluster):
        go(context, "?view=health")
        names, versions, signs, clocks, duties = zip(*until(lambda: driver.execute_script(rows), "the servers"))
        assert names == ("north", "south", "west /srv/one", "west /srv/two") and versions == ("1.4", "1.5", "0.9", "1.4"), (names, versions)
        assert "second" in signs[0] and signs[2].startswith("25 minutes ago") and signs[2].endswith("silent") and "in " not in signs[3], signs
        assert clocks == ("right", "4 seconds behind synchronise it", "not measured yet", "61 seconds ahead not ready"), clocks
        assert duties == ("daily sweep, hourly upkeep", "", "", ""), duties
        assert "different versions" in text_of(driver, "#content"), "an upgrade under way is not said"
        context.shot("servers")
        driver.execute_script("window.isAlone = true")
        until(lambda: not driver.execute_script(rows), "the list to follow, and to go with the last server but one")
    go(context, "?view=health")
    until(lambda: "Jobs" in text_of(driver, "#content"), "the page of a single server")
    assert "Last sign of life" not in text_of(driver, "#content"), text_of(driver, "#content")


ALL = [cluster_servers, filter_chips, filter_by_keys, filter_focus, two_cameras, offered_types, audit_filters, audit_words, audit_older, audit_on_by_keys, audit_people, admit_by_token, admit_address, rename_camera, withdraw_consent, renewed_certificate, devices_by_age, many_cameras, all_on_device_page, album_cover, audited, health_links]
