#!/usr/bin/python3
"""What the page costs with a hundred thousand assets; printed, never asserted.

A task's length is told twice: by the clock on the wall, which is what a person waits, and by the processor's time of the
page's main thread, which stays the same on a machine that does other things besides. Both come from a trace of the first
months, with what the longest tasks did and what each thread of the browser used; tasks above 50 ms are counted by the
browser itself in all of them (Long Tasks API), which also says where frames above 50 ms spent their time (Long Animation
Frames API).
"""

import collections
import json
import sys

import browser
import generated_library

PAINTS = """
const paint = performance.getEntriesByType('paint').find((entry) => entry.name === 'first-contentful-paint');
const files = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/static/'));
const pictures = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/thumbnail'));
return {paint: paint?.startTime, files: files.length,
    weight: [performance.getEntriesByType('navigation')[0], ...files].reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    thumbnails: pictures.slice(0, 12).map((entry) => entry.responseEnd).sort((a, b) => a - b)};
"""

# Like a thumb: a stretch at reading speed, then a fling to the next month.
SCROLL = """
const [months, done] = arguments;
const scroller = document.querySelector('.scroller');
const value = (name) => Number(document.querySelector('.scrubber').getAttribute(name));
const month = () => value('aria-valuenow');
const frame = () => new Promise((next) => requestAnimationFrame(next));
(async () => {
    let tiles = 0;
    const start = month();
    while (month() < Math.min(start + months, value('aria-valuemax'))) {
        const from = month();
        for (let step = 0; step < 15; step += 1) {
            scroller.scrollTop += 110;
            await frame();
        }
        await new Promise((next) => setTimeout(next, 250));
        tiles = Math.max(tiles, document.querySelectorAll('.tile').length);
        const before = scroller.scrollTop;
        while (month() === from && scroller.scrollTop - before < 400000) {
            scroller.scrollTop += 2500;
            await frame();
        }
    }
    done({tiles, months: month() - start});
})();
"""


# A frame's time is divided at the start of its rendering, and where its scripts end and style, layout and paint begin.
WATCH = """
window.longTasks = [];
window.longFrames = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask' });
new PerformanceObserver((list) => longFrames.push(...list.getEntries().map((one) => {
    const end = one.startTime + one.duration, render = one.renderStart || end, layout = one.styleAndLayoutStart || end;
    return { duration: one.duration, blocking: one.blockingDuration, before: render - one.startTime, scripts: layout - render, layout: end - layout,
        calls: one.scripts.map((call) => ({ name: `${call.sourceURL.split('/').at(-1)} ${call.sourceFunctionName || '?'} (${call.invoker})`,
            duration: call.duration, layout: call.forcedStyleAndLayoutDuration })) };
}))).observe({ type: 'long-animation-frame' });
"""

# The browser's driver cannot hand over a trace of much more.
TRACED_MONTHS = 20
MAIN_THREAD = "CrRendererMain"
TASKS = ("RunTask", "ThreadControllerImpl::RunTask")


def heap(driver):
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 2**20


def label(event):
    """What a part of a task is called: a script by its function."""
    call = (event.get("args") or {}).get("data") or {}
    return f"{event['name']} {call.get('functionName') or '?'}" if event["name"] == "FunctionCall" else event["name"]


def outermost(events):
    """A thread's outermost events with their wall-clock and CPU milliseconds, whole and of each part without what it contains."""
    found, inside = [], []
    for event in sorted(events, key=lambda one: (one["ts"], -one.get("dur", 0))):
        while inside and event["ts"] >= inside[-1][0]:
            inside.pop()
        times = {"wall": event.get("dur", 0) / 1000, "used": event.get("tdur", event.get("dur", 0)) / 1000}
        if not inside:
            found.append({"name": event["name"], **times, "parts": collections.defaultdict(collections.Counter)})
        parts = found[-1]["parts"]
        if inside:
            parts[inside[-1][1]].subtract(times)
        parts[label(event)].update(times)
        inside.append((event["ts"] + event.get("dur", 0), label(event)))
    return found


def trace(driver):
    """What was traced since the last call: the main thread's tasks, and the CPU milliseconds of every thread by name."""
    names, events = {}, collections.defaultdict(list)
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Tracing.dataCollected":
            continue
        event = message["params"]
        if event.get("name") == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
        elif event.get("ph") == "X":
            events[event["pid"], event["tid"]].append(event)
    tasks, used = [], collections.Counter()
    for thread, list_ in events.items():
        name, found = names.get(thread, MAIN_THREAD), outermost(list_)
        used[name] += sum(one["used"] for one in found)
        if name == MAIN_THREAD:
            tasks += [one for one in found if one["name"] in TASKS]
    return tasks, used


def longest(tasks, key):
    """The five longest tasks in words, with the clock's and the processor's milliseconds of their parts: a part that takes much
    longer by the clock waited for a core or for another thread."""
    parts = lambda one: sorted(one["parts"].items(), key=lambda part: -part[1][key])[:6]
    return ["{wall:.0f} ms by the clock, {used:.1f} of the processor: ".format(**one)
            + ", ".join(f"{name} {times['wall']:.1f}/{times['used']:.1f}" for name, times in parts(one))
            for one in sorted(tasks, key=lambda one: -one[key])[:5]]


def frames(long):
    """Where the long frames spent their time, in words."""
    if not long:
        return ["none"]
    total = {key: sum(one[key] for one in long) for key in ("duration", "blocking", "before", "scripts", "layout")}
    calls = collections.defaultdict(list)
    for call in (call for one in long for call in one["calls"]):
        calls[call["name"]].append((call["duration"], call["layout"]))
    heaviest = sorted(calls.items(), key=lambda one: -sum(duration for duration, _ in one[1]))[:8]
    return [f"{len(long)}, the longest {max(one['duration'] for one in long):.0f} ms",
            "{duration:.0f} ms in all, blocking {blocking:.0f}: before rendering {before:.0f}, "
            "in its scripts {scripts:.0f}, in style, layout and paint {layout:.0f}".format(**total)] + [
            f"{name}: {len(list_)} times, {sum(one for one, _ in list_):.0f} ms, of them forced layout {sum(one for _, one in list_):.0f}, "
            f"the longest {max(one for one, _ in list_):.0f}" for name, list_ in heaviest]


def load(driver, address):
    """Visits the page twice, so that its files are in the browser's cache; returns when it painted."""
    for _ in range(2):
        driver.get(address)
        browser.until(lambda: not driver.find_elements("css selector", ".tile:not(.loaded)")
                      and driver.find_elements("css selector", ".tile.loaded"), "every picture")
    return driver.execute_script(PAINTS)


def measure(count=100_000, months=50):
    """The figures by name."""
    server = generated_library.serve(count)
    server.RequestHandlerClass.library.pictures.draw_all(256)
    driver = browser.start(traced="toplevel,devtools.timeline,disabled-by-default-devtools.timeline")
    try:
        driver.set_script_timeout(600)
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        paints = load(driver, address)
        begin, _ = trace(driver)
        before = heap(driver)
        trace(driver)
        driver.execute_async_script(SCROLL, min(TRACED_MONTHS, months))
        scrolling, threads = trace(driver)
        driver.quit()
        driver = browser.start()
        driver.set_script_timeout(1800)
        driver.get(address)
        browser.wait(driver, ".tile.loaded")
        driver.execute_script(WATCH)
        scrolled = driver.execute_async_script(SCROLL, months)
        long, long_frames = driver.execute_script("return [longTasks, longFrames]")
        after = heap(driver)
        driver.execute_async_script(SCROLL, min(20, months))
        again = heap(driver)
        return {
            "assets": count, "first contentful paint, ms": paints["paint"],
            "first twelve thumbnails, ms": paints["thumbnails"][-1] if paints["thumbnails"] else None,
            "page weight, KB": paints["weight"] / 1000, "files": paints["files"],
            "longest task while loading, ms on the wall": max((one["wall"] for one in begin), default=0.0),
            "months scrolled": scrolled["months"], "most tiles at once": scrolled["tiles"],
            "longest task while scrolling, ms on the wall": max((one["wall"] for one in scrolling), default=0.0),
            "longest task while scrolling, ms of the processor": max((one["used"] for one in scrolling), default=0.0),
            "tasks above 8 ms of the processor": sum(1 for one in scrolling if one["used"] > 8),
            "tasks above 50 ms of the processor": sum(1 for one in scrolling if one["used"] > 50),
            "longest by the clock": longest(scrolling, "wall"), "longest by the processor": longest(scrolling, "used"),
            "processor time by thread, ms": [f"{name} {used:.0f}" for name, used in threads.most_common(12)],
            "tasks above 50 ms on the wall, in all months": len(long), "the longest of them, ms": max(long, default=0.0),
            "frames above 50 ms, in all months": frames(long_frames),
            "heap at the start, MiB": before, "heap after that, MiB": after, "heap 20 months later, MiB": again,
        }
    finally:
        driver.quit()
        server.shutdown()


def tell(count=100_000, months=50):
    """Prints the figures, one per line."""
    for name, value in measure(count, months).items():
        if isinstance(value, list):
            print(f"    {name}:", *value, sep="\n        ", flush=True)
        else:
            print(f"    {name}: {value:.1f}" if isinstance(value, float) else f"    {name}: {value}", flush=True)


if __name__ == "__main__":
    tell(*(int(argument) for argument in sys.argv[1:]))
