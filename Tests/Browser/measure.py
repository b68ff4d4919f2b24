#!/usr/bin/python3
"""What the page costs with a hundred thousand assets; printed, never asserted.

A task's length is told twice: by the clock on the wall, which is what a person waits, and by the processor's time of the
page's main thread, which stays the same on a machine that does other things besides. Both come from a trace of the first
months; tasks above 50 ms are counted by the browser itself in all of them (Long Tasks API).
"""

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


WATCH = """
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask' });
"""

# The browser's driver cannot hand over a trace of much more.
TRACED_MONTHS = 20


def heap(driver):
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 2**20


def tasks(driver):
    """The main thread's tasks since the last call: wall-clock and CPU milliseconds."""
    names, found = {}, []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Tracing.dataCollected":
            continue
        event = message["params"]
        if event.get("name") == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
        elif event.get("ph") == "X" and event.get("name") in ("RunTask", "ThreadControllerImpl::RunTask"):
            found.append(event)
    return [(event.get("dur", 0) / 1000, event.get("tdur", event.get("dur", 0)) / 1000) for event in found
            if names.get((event["pid"], event["tid"]), "CrRendererMain") == "CrRendererMain"]


def measure(count=100_000, months=50):
    """The figures by name."""
    server = generated_library.serve(count)
    driver = browser.start(traced="toplevel,devtools.timeline,disabled-by-default-devtools.timeline")
    try:
        driver.set_script_timeout(600)
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        driver.get(address)  # The first visit makes the pictures, which the server of the test draws.
        browser.wait(driver, ".tile.loaded")
        browser.until(lambda: not driver.find_elements("css selector", ".tile:not(.loaded)"), "every picture")
        driver.get(address)
        browser.until(lambda: not driver.find_elements("css selector", ".tile:not(.loaded)")
                      and driver.find_elements("css selector", ".tile.loaded"), "every picture")
        paints = driver.execute_script(PAINTS)
        begin = tasks(driver)
        before = heap(driver)
        tasks(driver)
        scrolled = driver.execute_async_script(SCROLL, min(TRACED_MONTHS, months))
        scrolling = tasks(driver)
        driver.quit()
        driver = browser.start()
        driver.set_script_timeout(1800)
        driver.get(address)
        browser.wait(driver, ".tile.loaded")
        driver.execute_script(WATCH)
        scrolled = driver.execute_async_script(SCROLL, months)
        long = driver.execute_script("return longTasks")
        after = heap(driver)
        driver.execute_async_script(SCROLL, min(20, months))
        again = heap(driver)
        return {
            "assets": count, "first contentful paint, ms": paints["paint"],
            "first twelve thumbnails, ms": paints["thumbnails"][-1] if paints["thumbnails"] else None,
            "page weight, KB": paints["weight"] / 1000, "files": paints["files"],
            "longest task while loading, ms on the wall": max((wall for wall, _ in begin), default=0.0),
            "months scrolled": scrolled["months"], "most tiles at once": scrolled["tiles"],
            "longest task while scrolling, ms on the wall": max((wall for wall, _ in scrolling), default=0.0),
            "longest task while scrolling, ms of the processor": max((used for _, used in scrolling), default=0.0),
            "tasks above 50 ms on the wall, in all months": len(long),
            "the longest of them, ms": max(long, default=0.0),
            "tasks above 50 ms of the processor": sum(1 for _, used in scrolling if used > 50),
            "heap at the start, MiB": before, "heap after that, MiB": after, "heap 20 months later, MiB": again,
        }
    finally:
        driver.quit()
        server.shutdown()


def tell(count=100_000, months=50):
    """Prints the figures, one per line."""
    for name, value in measure(count, months).items():
        print(f"    {name}: {value:.1f}" if isinstance(value, float) else f"    {name}: {value}", flush=True)


if __name__ == "__main__":
    tell(*(int(argument) for argument in sys.argv[1:]))
