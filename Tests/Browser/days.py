"""Days and moments: headings, the same moment over cameras, time-lapses, typed dates."""

import subprocess

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browse import FRAMES
from browser import PHONE, click, gone, until, wait
from gestures import scroll
from hands import at_time, click_on, click_tile, focus, go, leave_viewer, open_first, photos, prepared, press, select, text_of, tile_ids, told, write
from states import library

# Whether every month has a day below its heading, which can come a frame before what stands for its photos.
DAYS = """const months = [...document.querySelectorAll('.row.heading:has(h2)')];
return months.length > 0 && months.every((one) => {
    const [month, day] = ['h2', 'h3'].map((name) => one.querySelector(name)?.getBoundingClientRect());
    return day && day.top >= month.bottom;
})"""


def day_headings(context):
    """D16: every day has a heading below its month's, in small and in full months, and selects its photos."""
    driver = context.driver
    go(context)
    photos(driver)
    until(lambda: driver.execute_script(DAYS), "a day below the heading of each month")
    day = driver.execute_script("return document.querySelector('.row.heading h3').firstChild.textContent")
    driver.execute_script("document.querySelector('.row.heading h3 .choose-all').click()")
    until(lambda: "selected" in text_of(driver, ".selection-bar"), "the day's photos")
    heading = driver.execute_script("return document.querySelector('.selection-bar strong').textContent")
    assert day and heading.split()[0] != "0", heading
    click(driver, "button", "Clear selection")
    with library(context, 20_000) as (driver, made):
        photos(driver)
        # The month with the most, which is fetched by days and hours.
        spans = made.spans("month", 0, made.times[0] + 1)
        full = max(range(len(spans)), key=lambda place: spans[place]["count"])
        assert spans[full]["count"] > 1000, spans[full]
        focus(driver, ".scrubber")
        press(driver, *[Keys.ARROW_DOWN] * full)
        # The scrubber follows in the next frame.
        driver.execute_async_script(FRAMES)
        title = driver.execute_script("return document.querySelector('.scrubber').getAttribute('aria-valuetext')")
        shown = "return [...document.querySelectorAll('.row.heading h2')].map((one) => one.firstChild.textContent)"
        until(lambda: title in driver.execute_script(shown), f"the heading of {title}")
        photos(driver)
        context.shot("full-month", driver)
        hour = "const [of, done] = arguments; import('/static/generated/format.js').then(({ hourTitle }) => done(hourTitle(of)))"
        title = driver.execute_async_script(hour, 1_795_651_200_000)
        assert "26" in title and "12" in title and "1" in title.split("26")[1].replace("12", ""), f"a whole hour reads like a moment: {title}"
        until(lambda: driver.execute_script(DAYS), "a day below the heading of each month")


def newest_month(context):
    """A large newest month begins with the photos of a screen, and goes on without a gap; so does one whose last day is larger than that."""
    active = "return parseInt(document.activeElement.dataset.id?.slice(0, 8) ?? 'ffffffff', 16)"
    for months, least in ((6, 100), (1, 1000)):
        with library(context, 3000, months=months) as (driver, made):
            [newest, *_] = made.spans("month", 0, made.times[0] + 1)
            assert newest["count"] > least, newest
            photos(driver)
            assert made.asked[0] == 40, made.asked
            assert "3,000" in text_of(driver, ".title-line"), text_of(driver, ".title-line")
            focus(driver, ".tile")
            for number in range(45):
                until(lambda: driver.execute_script(active) == number, f"photo {number} after the one before")
                press(driver, Keys.ARROW_RIGHT)
            driver.get(driver.current_url.split("?")[0] + f"?asset={made.asset(90)['id']}")
            wait(driver, "dialog.viewer[open]")
            for number in (89, 88):
                press(driver, Keys.ARROW_LEFT)
                until(lambda: made.asset(number)["id"] in driver.current_url, f"photo {number} before the one after")
            leave_viewer(driver)
            until(lambda: driver.execute_script(active) == 88, "the focus on the last one that was shown")


def day_line(context):
    """The day in view stays named above its photos, on a desktop and a phone; its own heading takes over where it is in view."""
    line = """const one = document.querySelector('.day-line');
        return one.checkVisibility() && innerHeight > one.getBoundingClientRect().top ? one.textContent : null"""
    places = """const top = document.querySelector('.scroller').getBoundingClientRect().top, now = document.querySelector('.scroller').scrollTop;
        return [...document.querySelectorAll('.row.heading')].map((one) => {
            const { bottom, height } = one.getBoundingClientRect();
            return [one.querySelector('h3').firstChild.textContent, bottom - top + now, height];
        }).toSorted((left, right) => left[1] - right[1])"""

    def look(driver, name):
        photos(driver)
        until(lambda: driver.execute_script(line) is None, "no day over its own heading")
        # The heading of a month that is still to come has no day.
        days = until(lambda: driver.execute_script(places), "the days")
        day, bottom, _ = days[0]
        scroll(driver, bottom + 60)
        until(lambda: driver.execute_script(line) == day, f"{day} above its photos")
        context.shot(f"day-line-{name}", driver)
        following, bottom, height = days[1]
        scroll(driver, bottom - height)
        until(lambda: driver.execute_script(line) is None, f"no other day over the heading of {following}")
        scroll(driver, bottom + 60)
        until(lambda: driver.execute_script(line) == following, f"{following} above its photos")

    with library(context, 3000) as (driver, _):
        look(driver, "desktop")
    with context.another_browser(size=PHONE) as driver:
        context.enter(driver)
        look(driver, "phone")


def month_without_first_day(context):
    """D16: a month whose newest day goes to the trash keeps its heading."""
    with library(context, 3000) as (driver, _):
        photos(driver)
        headings = "return [...document.querySelectorAll('.row.heading')].slice(0, 2).map((one) => [one.querySelector('h2')?.firstChild.textContent ?? '', one.querySelector('h3').firstChild.textContent])"
        (month, day), (_, following) = driver.execute_script(headings)
        driver.execute_script("document.querySelector('.row.heading h3 .choose-all').click()")
        until(lambda: "selected" in text_of(driver, ".selection-bar"), "the day's photos")
        click(driver, ".selection-bar button", "Trash")
        until(lambda: driver.execute_script(headings)[0] == [month, following], f"{day} to go, and {month} to stand over {following}")


def own_days(context):
    """D4: a photo of 31 May, 22:00 at UTC-7, is under 31 May, and found by that day only."""
    driver, made = context.driver, context.library
    asset = made.take_in_dated_picture("2024:05:31 22:00:00", "-07:00")
    go(context, "?from=2024-05-31&until=2024-05-31")
    photos(driver)
    assert tile_ids(driver) == [asset], tile_ids(driver)
    headings = driver.execute_script("return [...document.querySelectorAll('.row.heading :is(h2, h3)')].map((one) => one.firstChild.textContent)")
    assert "May" in headings[0] and "31" in headings[1] and len(headings) == 2, headings
    for other in ("from=2024-06-01&until=2024-06-30", "from=2024-05-01&until=2024-05-30"):
        go(context, f"?{other}")
        until(lambda: "Nothing matches" in text_of(driver, "#content"), f"nothing of {other}")
    go(context, f"?asset={asset}")
    wait(driver, "dialog.viewer[open]")
    until(lambda: "May 31" in text_of(driver, "dialog.viewer"), "the day of the place in the viewer")
    leave_viewer(driver)
    made.call("DELETE", f"/v1/assets/{asset}")


def camera_page(context):
    """A camera's page: its name, its photos and days, and a time-lapse of all of them."""
    driver, made = context.driver, context.library
    device = made.assets()[0]["deviceID"]
    tree = f'{{"device":"{device}"}}'
    days = len(made.get(f"/v1/timeline?unit=day&filter={tree.replace('{', '%7B').replace('}', '%7D').replace(chr(34), '%22')}")["spans"])
    go(context, f"?device={device}")
    until(lambda: f"on {days} day" in text_of(driver, ".title-line"), f"{days} days")
    context.shot("camera-page")
    click(driver, ".title-line button", "Time-lapse")
    wait(driver, "dialog.lapse[open]")
    until(lambda: driver.execute_script(LAPSE_PLACE) > 0, "the next picture by itself")
    press(driver, Keys.ESCAPE)
    gone(driver, "dialog.lapse")
    click(driver, ".title-line button", "About this camera")
    until(lambda: "view=devices" in driver.current_url, "the camera's own page")


LAPSE_PLACE = "return Number(document.querySelector('.lapse input[type=range]')?.value ?? -1)"


def time_lapse(context):
    """A time-lapse plays in order, at the chosen speed, with Space to pause and arrows to step, to its end; Space on its first button closes it."""
    with library(context, 300) as (driver, _):
        photos(driver)
        driver.execute_script("document.querySelector('.tile').focus()")
        ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        until(lambda: "300 photos selected" in text_of(driver, ".selection-bar"), "all of them")
        click(driver, ".selection-bar button", "Time-lapse")
        place = lambda: driver.execute_script(LAPSE_PLACE)
        label = lambda: driver.execute_script("return document.querySelector('.lapse .controls button').getAttribute('aria-label')")
        most = until(lambda: driver.execute_script("return Number(document.querySelector('.lapse input[type=range]')?.max ?? 0)"), "the film")
        until(lambda: place() > 0, "the film to run")
        context.shot("time-lapse", driver)
        press(driver, " ")
        until(lambda: label() == "Play", "the film to stand")
        press(driver, Keys.HOME)
        until(lambda: place() == 0, "the first photo")
        oldest = driver.execute_script("return document.querySelector('.lapse .stage').dataset.id")
        assert int(oldest[:8], 16) > 280, f"the oldest comes first, not {oldest}"
        press(driver, Keys.ARROW_RIGHT)
        until(lambda: place() == 1, "the second")
        # The time that the film waited before each picture, in milliseconds, as it asked for it: a busy machine takes longer.
        driver.execute_script("""
            const later = setTimeout.bind(window);
            let passed = null;
            window.gaps = [];
            window.setTimeout = (step, delay, ...more) => later((...all) => {
                if (delay === window.pause) passed = delay;
                step(...all);
            }, delay, ...more);
            new MutationObserver(() => {
                window.gaps.push(passed);
                passed = null;
            }).observe(document.querySelector('.lapse .stage'), { attributeFilter: ['data-id'] });""")
        for speed, count, pause in (("1 a second", 3, 1000), ("30 a second", 20, 1000 / 30)):
            press(driver, Keys.HOME)
            until(lambda: place() == 0, "the first photo")
            select(driver, ".lapse select", speed)
            driver.execute_script("window.gaps.length = 0; window.pause = arguments[0]", pause)
            click_on(driver, ".lapse .controls button")
            gaps = until(lambda: (lambda found: len(found) > count and found[1:])(driver.execute_script("return window.gaps")), f"{count} pictures")
            assert None not in gaps, f"{speed}: {gaps}"
            click_on(driver, ".lapse .controls button")
            until(lambda: label() == "Play", "the film to stand")
            focus(driver, ".lapse .controls button")
        press(driver, Keys.END, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        until(lambda: place() == most - 2, "the last but two")
        select(driver, ".lapse select", "30 a second")
        click_on(driver, ".lapse .controls button")
        until(lambda: place() == most, "the end")
        until(lambda: label() == "Play", "the film to stand at its end")
        focus(driver, ".lapse header button")
        press(driver, " ")
        gone(driver, "dialog.lapse")


def same_moment(context):
    """From a photo to the same moment on all cameras: each camera's nearest photo and its distance, and stepping by minutes."""
    driver, made = context.driver, context.library
    asset = made.take_in_dated_picture("2024:07:15 22:00:00", "-07:00")
    made.admit("harbour", "harbour", "add-only")
    settings = made.agent_settings("harbour", "harbour")
    subprocess.run(["exiftool", "-q", "-overwrite_original", "-DateTimeOriginal=2024:07:15 22:01:30", str(made.folder / "dated/dated.jpg")], check=True)
    made.run("tintype-agent", "import", str(made.folder / "dated"), *settings)
    made.run("tintype-agent", "sync", "--once", *settings)
    # More cameras than are asked at once come before the two.
    crowd = """if (body?.devices) {
        const gate = body.devices.find((one) => one.name === 'gate');
        body.devices = [...Array.from({ length: 60 }, (_, place) => ({ ...gate, name: `crowd ${place}` })), ...body.devices];
    }"""
    with told(driver, crowd):
        go(context, f"?asset={asset}")
        wait(driver, "dialog.viewer[open]")
        press(driver, "c")
        until(lambda: driver.find_elements(By.CSS_SELECTOR, ".moment button"), "cameras")
        for words in ("crowd 59", "gate", "at that second", "harbour", "2 minutes later"):
            until(lambda: words in text_of(driver, ".moment"), words)
        # By the clock of the place, not the reader's.
        words = """return ['timeStyle', 'dateStyle'].map((style, place) => new Intl.DateTimeFormat(navigator.language, {
            [style]: ['medium', 'full'][place], timeZone: 'UTC' }).format(Date.UTC(2024, 6, 15, 22)))"""
        time, day = driver.execute_script(words)
        assert text_of(driver, "h1") == time and day in text_of(driver, ".page"), text_of(driver, ".page")
        context.shot("same-moment-cameras")
    for one in made.assets():
        if one["captureTime"]["wall"].startswith("2024-07-16T05:0"):
            made.purge(one["id"])
    go(context)
    photos(driver)
    asset = open_first(driver) and driver.current_url.split("asset=")[1]
    press(driver, "c")
    until(lambda: "view=moment" in driver.current_url and driver.find_elements(By.CSS_SELECTOR, f'.moment button[data-id="{asset}"]'), "the photo among those of its moment")
    until(lambda: "at that second" in text_of(driver, ".moment") and "gate" in text_of(driver, ".moment"), "whose it is, and how near")
    context.shot("same-moment")
    before = driver.current_url
    click(driver, "button", "1 minute later")
    until(lambda: driver.current_url != before and "earlier" in text_of(driver, ".moment"), "a minute on")
    click_on(driver, ".moment button")
    wait(driver, "dialog.viewer[open]")
    leave_viewer(driver)


def typed_search(context):
    """A camera, a day and a time can be typed into the search; other words remain a text search."""
    driver, made = context.driver, context.library
    device = next(one["id"] for one in made.get("/v1/admin/devices")["devices"] if one["name"] == "gate")
    go(context)
    photos(driver)
    until(lambda: driver.find_elements(By.CSS_SELECTOR, ".filters [aria-label='Any device']"), "the list of cameras")
    field = "#top input[type=search]"
    write(driver, field, "gate 2031-05-04 14:00 fog", Keys.ENTER)
    until(lambda: f"device={device}" in driver.current_url and "from=2031-05-04T14%3A00" in driver.current_url
          and "until=2031-05-04T15%3A00" in driver.current_url and "text=fog" in driver.current_url, "the camera, the hour and the word in the address")
    until(lambda: "Nothing matches" in text_of(driver, "#content"), "nothing of then")
    value = "return document.querySelector('#top input[type=search]').value"
    until(lambda: driver.execute_script(value) == "fog", "D7: the field to keep what is searched as text")
    # A Sunday on which a month begins.
    with at_time(driver, driver.execute_script("return new Date(2026, 2, 1, 12).getTime()")):
        go(context)
        photos(driver)
        until(lambda: driver.find_elements(By.CSS_SELECTOR, ".filters [aria-label='Any device']"), "the list of cameras")
        write(driver, field, "gate today", Keys.ENTER)
        until(lambda: "from=2026-03-01" in driver.current_url and "text=" not in driver.current_url, "today's photos of the camera")
        until(lambda: driver.execute_script(value) == "", "D7: nothing left in the field")
        for words, start, end in (("gate yesterday 14:00", "2026-02-28T14%3A00", "2026-02-28T15%3A00"), ("gate Monday", "2026-02-23", "2026-02-23"),
                                  ("gate yesterday 2 pm", "2026-02-28T14%3A00", "2026-02-28T15%3A00"), ("gate 2031", "2031-01-01", "2031-12-31"),
                                  ("gate May 2031", "2031-05-01", "2031-05-31"), ("gate 4 May 2031", "2031-05-04", "2031-05-04")):
            go(context)
            photos(driver)
            until(lambda: driver.find_elements(By.CSS_SELECTOR, ".filters [aria-label='Any device']"), "the list of cameras")
            write(driver, field, words, Keys.ENTER)
            until(lambda: f"from={start}&" in driver.current_url + "&" and f"until={end}&" in driver.current_url + "&"
                  and f"device={device}" in driver.current_url and "text=" not in driver.current_url, f"{words}: {start} to {end}")
    go(context)
    photos(driver)
    write(driver, field, '"gate"', Keys.ENTER)
    until(lambda: "text=%22gate%22" in driver.current_url and "device=" not in driver.current_url, "a word in quotes stays one")
    go(context)


def typed_dates(context):
    """A typed date is read as the reader's language writes it; so are a year alone, and times of day with am and pm."""
    day = lambda text: [text, text, ""]
    dates = {
        "en-GB": {"4/5/2031": day("2031-05-04"), "31/05/2024": day("2024-05-31"), "04-05-2031": day("2031-05-04"), "4/5/31": day("2031-05-04")},
        "en-US": {"27.11.": [None, None, "27.11."], "4/5/2031": day("2031-04-05"), "5/31/2024": day("2024-05-31"), "31/05/2024": day("2024-05-31"), "4.5.2031": day("2031-05-04")},
        "de-DE": {"4.5.2031": day("2031-05-04"), "4/5/2031": day("2031-05-04"), "31.2.2024": [None, None, "31.2.2024"], "27.11.": day("2026-11-27"),
                  "29. 11.": day("2025-11-29"), "27.11": [None, None, "27.11"], "gestern": day("2026-11-27"), "marz": ["2026-03-01", "2026-03-31", ""]},
        "pl-PL": {"15 listopada 2025": day("2025-11-15"), "listopad": ["2026-11-01", "2026-11-30", ""]},
        "ja-JP": {"2031/5/4": day("2031-05-04")},
    }
    always = {
        "2031-05-04": day("2031-05-04"), "2024": ["2024-01-01", "2024-12-31", ""], "fog 2024": ["2024-01-01", "2024-12-31", "fog"],
        "2024-05-31 2pm": ["2024-05-31T14:00", "2024-05-31T15:00", ""], "2024-05-31 2:30 pm": ["2024-05-31T14:30", "2024-05-31T15:30", ""],
        "2024-05-31 12am": ["2024-05-31T00:00", "2024-05-31T01:00", ""], "2024-05-31 2-3pm": ["2024-05-31T14:00", "2024-05-31T15:00", ""],
        "2024-05-31, 2 pm, fog": ["2024-05-31T14:00", "2024-05-31T15:00", "fog"], "Ulm, Germany": [None, None, "Ulm, Germany"],
        "friday": day("2026-11-27"), "Saturday": day("2026-11-28"), "last saturday": day("2026-11-21"), "last week": ["2026-11-21", "2026-11-28", ""],
        "november": ["2026-11-01", "2026-11-30", ""], "December": ["2025-12-01", "2025-12-31", ""], "last november": ["2025-11-01", "2025-11-30", ""],
        "november 2025": ["2025-11-01", "2025-11-30", ""], "November 29": day("2025-11-29"), "march": [None, None, "march"], "Sun": [None, None, "Sun"],
        "13pm": [None, None, "13pm"], '"2024"': [None, None, '"2024"'], "2-3 fog": [None, None, "2-3 fog"], "24/7": [None, None, "24/7"],
    }
    parse = """const [words, done] = arguments;
        import('/static/generated/search-words.js').then(({ searchWords }) => {
            const { from = null, until = null, text } = searchWords(words, { now: new Date(2026, 10, 28, 12) });
            done([from, until, text]);
        })"""
    with library(context, 0) as (driver, _):
        for language, own in dates.items():
            spoken = f"Object.defineProperty(Navigator.prototype, 'language', {{ get: () => '{language}' }})"
            with prepared(driver, spoken):
                driver.refresh()
                wait(driver, "h1")
            for words, expected in {**always, **own}.items():
                found = driver.execute_async_script(parse, words)
                assert found == expected, f"{language}, {words}: {found}"


def written_sizes(context):
    """Sizes have the decimal sign of the reader's language."""
    with library(context, 0) as (driver, _):
        for language, expected in (("en-US", "1.5 KiB"), ("de-DE", "1,5 KiB")):
            with prepared(driver, f"Object.defineProperty(Navigator.prototype, 'language', {{ get: () => '{language}' }})"):
                driver.refresh()
                wait(driver, "h1")
            found = driver.execute_async_script("import('/static/generated/format.js').then(({ bytes }) => arguments[0](bytes(1536)))")
            assert found == expected, f"{language}: {found}"


def typed_cameras(context):
    """A camera is found by its name, without case and accents and with either apostrophe, or beside a day by words that no other camera has."""
    cameras = {"A": "Ana's phone", "G": "gate", "N": "North Gärten", "X": "back-yard gate", "Y": "front yard"}
    cases = {
        "Ana’s phone fog": ("A", "fog"), "ANA'S PHONE": ("A", ""), "north garten": ("N", ""), "gate": ("G", ""), "fog, gate": ("G", "fog"), "yard": (None, "yard"),
        # A part of the name is enough beside a day or a time; alone it may be a word of a caption.
        "phone yesterday": ("A", ""), "ana, fog 14:00": ("A", "fog"), "GARTEN today": ("N", ""), "back-yard, 9:30": ("X", ""), "yard today": (None, "yard"),
        "phone": (None, "phone"), '"phone" today': (None, '"phone"'), "phones today": (None, "phones"),
    }
    parse = """const [words, cameras, done] = arguments;
        import('/static/generated/search-words.js').then(({ searchWords }) => {
            const { device = null, text } = searchWords(words, { devices: Object.entries(cameras).map(([id, name]) => ({ id, name })) });
            done([device, text]);
        })"""
    with library(context, 0) as (driver, _):
        wait(driver, "h1")
        for words, expected in cases.items():
            found = driver.execute_async_script(parse, words, cameras)
            assert found == list(expected), f"{words}: {found}"


def new_camera(context):
    """A typed search waits for the cameras' names; a camera admitted while the page is open is offered and found."""
    driver, made = context.driver, context.library
    device = next(one["id"] for one in made.get("/v1/admin/devices")["devices"] if one["name"] == "gate")
    field = "#top input[type=search]"
    hold = "if (/admin\\/devices\\?/.test(this.url) && !window.isTold) await new Promise((go) => { (window.held ??= []).push(go); });"
    with told(driver, hold):
        go(context)
        photos(driver)
        until(lambda: driver.execute_script("return window.held?.length > 0"), "the names to be on their way")
        write(driver, field, "gate 2031-05-04", Keys.ENTER)
        read = "return performance.getEntriesByType('resource').some((one) => one.name.endsWith('search-words.js'))"
        until(lambda: driver.execute_script(read), "the words to be read")
        driver.execute_script("window.isTold = true; window.held.forEach((go) => go())")
        until(lambda: f"device={device}" in driver.current_url and "from=2031-05-04" in driver.current_url and "text=" not in driver.current_url, "the camera and the day")
    go(context)
    photos(driver)
    cameras = "return [...document.querySelectorAll('#cameras option')].map((one) => one.value)"
    until(lambda: driver.execute_script(cameras), "the list of cameras")
    driver.execute_script("window.isTheSamePage = true")
    made.admit("summit", "summit", "add-only")
    until(lambda: "summit" in driver.execute_script(cameras), "the new camera in the filter")
    valley = made.admit("valley", "valley", "add-only")
    write(driver, field, "valley 2031-05-04", Keys.ENTER)
    until(lambda: f"device={valley}" in driver.current_url and "text=" not in driver.current_url, "the newest camera in the search")
    assert driver.execute_script("return window.isTheSamePage"), "the page was loaded again"
    go(context)


def odd_offsets(context):
    """An offset from UTC that no place has, as earlier servers stored it, hides nothing of its month; the facts tell the one that is used instead."""
    with library(context, 3, months=1) as (driver, made):
        plain = made.asset
        made.asset = lambda index: {**plain(index), "captureTime": {**plain(index)["captureTime"], "utcOffsetSeconds": (2**63 - 1) * (-1) ** index}}
        driver.refresh()
        until(lambda: len(tile_ids(driver)) == 3, "all three photos")
        assert "try again" not in text_of(driver, "#content").lower(), text_of(driver, "#content")
        click_tile(driver, tile_ids(driver)[0])
        wait(driver, "dialog.viewer[open]")
        press(driver, "i")
        until(lambda: any(f", UTC{sign}18:00" in text_of(driver, ".panel dl") for sign in "+-"), "the offset that is used")


ALL = [day_headings, newest_month, day_line, month_without_first_day, own_days, camera_page, time_lapse, same_moment, typed_search, typed_dates, written_sizes, typed_cameras, new_camera, odd_offsets]
