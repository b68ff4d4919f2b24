#!/usr/bin/python3
"""What the page costs on a slow line and a slow processor, against its limits.

usage: Tests/Browser/slow_link.py [RUNS] [PROGRAMS]

A phone with a quarter of this processor opens the real server's page over TLS, everything fetched anew, RUNS times each (5):
a library whose newest month has 300 photos. The medians are printed, and their ratio to the limit: 1 and less is within it.
Times depend on the machine and are judged by who reads them. More bytes than the limit, without pictures and without the list
of the month's photos, which grows with the month, end it with 1.
"""

import gzip
import json
import os
import random
import statistics
import sys
import time

from PIL import Image

import browser
import generated_library
import library

# Bits a second, milliseconds until an answer begins, and the limits for first paint and first thumbnail in milliseconds.
LINES = {"400 kbit/s": (400_000, 40, 1200, 4000), "1.6 Mbit/s": (1_600_000, 40, 500, 1500)}
PROCESSOR_SHARE = 4
WEIGHT_LIMIT = 70_000

PHOTOS = 300

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
        figures["list"] = sum(size for address, size in found if "/v1/assets?" in address)
        figures["weight"] = sum(size for address, size in found if "/thumbnail" not in address) - figures["list"]
        figures["picture"] = sum(pictures) / len(pictures)
        figures["parts"] = sorted(((address, size) for address, size in found if "/thumbnail" not in address), key=lambda one: -one[1])
        return figures
    finally:
        driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def fill(made):
    """A month of photos as a phone writes them: camera, date, place."""
    camera = made.agent_settings("gate", "camera")
    token = made.ctl("enrollment-token", "create", "--max", "addOnly", "--uses", "1", "--expires", "1h", "--quiet").strip()
    made.run("tintype-agent", "enroll", made.address, "--token", token, *camera)
    folder = made.folder / "month"
    folder.mkdir()
    pictures, chance = generated_library.Pictures(), random.Random(21)
    for number in range(PHOTOS):
        name = folder / f"IMG_{4000 + number}.JPG"
        name.write_bytes(pictures.draw(number, chance.choice([(4, 3), (3, 4), (16, 9)]), 640))
        fields = Image.Exif()
        fields[0x010F], fields[0x0110] = "Maker", "Phone 7"
        moment = f"2026:10:{1 + number // 10:02} {8 + number % 10:02}:{chance.randrange(60):02}:{chance.randrange(60):02}"
        fields[0x8769] = {0x9003: moment, 0x9011: "+01:00"}
        fields[0x8825] = {1: "N", 2: (46.0, chance.randrange(60) * 1.0, chance.random() * 60), 3: "E", 4: (7.0, chance.randrange(60) * 1.0, chance.random() * 60)}
        with Image.open(name) as picture:
            picture.save(name, "JPEG", quality=85, exif=fields)
    made.run("tintype-agent", "import", str(folder), *camera, timeout=900)
    made.run("tintype-agent", "sync", "--once", *camera, timeout=900)
    made.settle(900)


def lists(made):
    """Prints what compressing a month's list costs, at the levels to choose from."""
    page = json.dumps(made.get(f"/v1/assets?limit={PHOTOS}&sort=-captureDate"), separators=(",", ":"), ensure_ascii=False).encode()
    told = []
    for level in (1, 4, 6, 9):
        start = time.process_time()
        for _ in range(20):
            short = gzip.compress(page, level)
        told.append(f"level {level} {len(short) / 1000:.1f} KB in {(time.process_time() - start) * 50:.1f} ms of processor")
    print(f"    a list of {PHOTOS} photos: {len(page) / 1000:.1f} KB; {', '.join(told)}", flush=True)


def tell(made, runs=5):
    """Prints the figures of a library's page; returns whether it is light enough."""
    driver = browser.start(size=browser.PHONE, logs_network=True)
    heaviest = 0
    try:
        driver.get(made.login_link())
        browser.wait(driver, ".tile.loaded")
        for name, (bits, latency, paint, thumbnail) in LINES.items():
            visits = [visit(driver, made.address, bits, latency) for _ in range(runs)]
            figure = {key: statistics.median(one[key] for one in visits) for key in ("paint", "thumbnail", "before", "weight", "list", "picture")}
            print(f"    {name}: first paint {figure['paint']:.0f} ms ({figure['paint'] / paint:.2f} of the limit), first thumbnail "
                  f"{figure['thumbnail']:.0f} ms ({figure['thumbnail'] / thumbnail:.2f}), before it {figure['before'] / 1000:.1f} KB, "
                  f"in all without pictures {figure['weight'] / 1000:.1f} KB ({figure['weight'] / WEIGHT_LIMIT:.2f}) and {figure['list'] / 1000:.1f} KB "
                  f"for the list of the month ({(figure['weight'] + figure['list']) / WEIGHT_LIMIT:.2f} together), a picture {figure['picture'] / 1000:.1f} KB, {visits[0]['protocol']}", flush=True)
            heaviest = max(heaviest, figure["weight"])
        for address, size in visits[-1]["parts"]:
            print(f"      {size / 1000:6.1f} KB {address.removeprefix(made.address)[:90]}", flush=True)
    finally:
        driver.quit()
    return heaviest <= WEIGHT_LIMIT


def main():
    made = library.Library(sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        made.start()
        fill(made)
        print(f"    load of the machine: {os.getloadavg()[0]:.1f}", flush=True)
        lists(made)
        light = tell(made, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    finally:
        made.stop()
    if not light:
        sys.exit(f"the page weighs more than {WEIGHT_LIMIT / 1000:.0f} KB without its pictures and their list")


if __name__ == "__main__":
    main()
