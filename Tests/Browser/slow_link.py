#!/usr/bin/python3
"""What the page costs on a slow line and a slow processor, against its limits; printed, never judged as a timed test.

usage: Tests/Browser/slow_link.py [RUNS]

A phone with a quarter of this processor opens the real server's page over TLS, everything fetched anew, RUNS times each (5).
The medians are printed, and their ratio to the limit: 1 and less is within it.
"""

import json
import statistics
import sys

import browser
import library

# Bits a second, milliseconds until an answer begins, and the limits for first paint and first thumbnail in milliseconds.
LINES = {"400 kbit/s": (400_000, 40, 1200, 4000), "1.6 Mbit/s": (1_600_000, 40, 500, 1500)}
PROCESSOR_SHARE = 4
WEIGHT_LIMIT = 70_000

FIGURES = """
const thumbnails = performance.getEntriesByType('resource').filter((one) => one.name.includes('/thumbnail'));
return {
    paint: performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint').startTime,
    thumbnail: Math.min(...thumbnails.map((one) => one.responseEnd)), protocol: performance.getEntriesByType('navigation')[0].nextHopProtocol,
};
"""


def weights(driver):
    """The requests since the last call in the order in which they ended: address, and bytes on the wire with header fields."""
    addresses, found = {}, []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.responseReceived":
            addresses[message["params"]["requestId"]] = message["params"]["response"]["url"]
        elif message["method"] == "Network.loadingFinished" and message["params"]["requestId"] in addresses:
            found.append((addresses[message["params"]["requestId"]], message["params"]["encodedDataLength"]))
    return found


def visit(driver, address, bits, latency):
    """The figures of one visit of a browser that has nothing of the page."""
    driver.get("about:blank")
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    weights(driver)
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": False, "latency": latency, "downloadThroughput": bits / 8, "uploadThroughput": bits / 8})
    driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": PROCESSOR_SHARE})
    try:
        driver.get(address)
        browser.wait(driver, ".tile.loaded")
        figures = driver.execute_script(FIGURES)
        browser.gone(driver, ".tile:not(.loaded)")
        found = weights(driver)
        pictures = [size for address, size in found if "/thumbnail" in address]
        first = next(index for index, (address, _) in enumerate(found) if "/thumbnail" in address)
        figures["before"] = sum(size for _, size in found[:first])
        figures["weight"] = sum(size for address, size in found if "/thumbnail" not in address)
        figures["picture"] = sum(pictures) / len(pictures)
        return figures
    finally:
        driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def tell(made, runs=5):
    """Prints the figures of a library's page."""
    driver = browser.start(size=browser.PHONE, logs_network=True)
    try:
        driver.get(made.login_link())
        browser.wait(driver, ".tile.loaded")
        for name, (bits, latency, paint, thumbnail) in LINES.items():
            visits = [visit(driver, made.address, bits, latency) for _ in range(runs)]
            figure = {key: statistics.median(one[key] for one in visits) for key in ("paint", "thumbnail", "before", "weight", "picture")}
            print(f"    {name}: first paint {figure['paint']:.0f} ms ({figure['paint'] / paint:.2f} of the limit), first thumbnail "
                  f"{figure['thumbnail']:.0f} ms ({figure['thumbnail'] / thumbnail:.2f}), before it {figure['before'] / 1000:.1f} KB "
                  f"({figure['before'] / WEIGHT_LIMIT:.2f}), in all without pictures {figure['weight'] / 1000:.1f} KB, a picture {figure['picture'] / 1000:.1f} KB, {visits[0]['protocol']}", flush=True)
    finally:
        driver.quit()


def main():
    made = library.Library(sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        made.start().fill()
        tell(made, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    finally:
        made.stop()


if __name__ == "__main__":
    main()
