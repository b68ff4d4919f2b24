"""What the page costs with a hundred thousand assets; printed, never judged as a timed test."""

import sys
import time

import browser
import generated_library

LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({type: 'longtask', buffered: true});
"""

PAINTS = """
const paint = performance.getEntriesByType('paint').find((entry) => entry.name === 'first-contentful-paint');
const files = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/static/'));
const pictures = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/thumbnail'));
return {paint: paint?.startTime, files: files.length,
    weight: [performance.getEntriesByType('navigation')[0], ...files].reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    firstThumbnails: pictures.slice(0, 12).map((entry) => entry.responseEnd).sort((a, b) => a - b)};
"""

STEP = "const s = document.querySelector('.scroller'); s.scrollTop += arguments[0]; return [s.scrollTop, document.querySelectorAll('.tile').length]"
MONTH = "return document.querySelector('.scrubber').getAttribute('aria-valuenow')"


def heap(driver):
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 2**20


def thread_seconds(driver):
    """Seconds of the page's main thread in tasks, without the time in which others had the processor."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def measure(count=100_000, months=50, step=900):
    server = generated_library.serve(count)
    driver = browser.start()
    try:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LONG_TASKS})
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        driver.get(address)
        browser.wait(driver, ".tile.loaded", 60)
        time.sleep(2)
        driver.get(address)  # The server's own pictures are drawn by now; the first visit measured the drawing.
        browser.wait(driver, ".tile.loaded", 60)
        time.sleep(1)
        paints = driver.execute_script(PAINTS)
        start = driver.execute_script("return window.longTasks")
        before = heap(driver)
        driver.execute_script("window.longTasks = []")
        steps, begin, tiles, work = 0, time.monotonic(), 0, thread_seconds(driver)
        while int(driver.execute_script(MONTH) or 0) < months and steps < 6000:
            tiles = max(tiles, driver.execute_script(STEP, step)[1])
            steps += 1
            time.sleep(0.02)
        took = time.monotonic() - begin
        tasks = driver.execute_script("return window.longTasks")
        time.sleep(1)
        after = heap(driver)
        driver.execute_script("document.querySelector('.scroller').scrollTop = 0")
        time.sleep(2)
        back = heap(driver)
        return {
            "assets": count, "first contentful paint ms": paints["paint"], "first 12 thumbnails ms": paints["firstThumbnails"][-1:],
            "page weight KB": paints["weight"] / 1000, "files": paints["files"], "long tasks at the start ms": start,
            "months scrolled": int(driver.execute_script(MONTH) or 0) or months, "steps": steps, "seconds": round(took, 1), "main thread ms a step": (thread_seconds(driver) - work) * 1000 / max(1, steps),
            "long tasks while scrolling": len(tasks), "longest ms": max(tasks, default=0), "above 100 ms": sum(1 for one in tasks if one > 100),
            "most tiles": tiles, "heap before MiB": before, "heap after MiB": after, "heap back at the top MiB": back,
        }
    finally:
        driver.quit()
        server.shutdown()


def tell(count=100_000):
    """Prints the measurement, a line a number."""
    for name, value in measure(count).items():
        print(f"    {name}: {value:.1f}" if isinstance(value, float) else f"    {name}: {value}", flush=True)


if __name__ == "__main__":
    tell(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
