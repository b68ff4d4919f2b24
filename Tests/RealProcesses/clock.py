"""Boxes whose own clock is wrong, by `wrong-clock.c` preloaded: they capture, learn the time, and what arrives has the right time."""
import datetime
import pathlib
import subprocess
import time

from system import Box, Broken, Library, check, generator, say

DAY = 86_400
# Off by so many seconds; a box without a battery begins in 1970.
OFFSETS = [-20 * 365 * DAY, -2 * DAY, -10_800, 0, 90, 2 * DAY, 400 * DAY, 3650 * DAY, 86_400 - int(time.time())]


def run(programs, folder, count, seed):
    """So many boxes, each with another clock, against one library whose clock is right."""
    shim = folder / "wrong-clock.so"
    source = pathlib.Path(__file__).parent / "wrong-clock.c"
    subprocess.run(["gcc", "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", shim, source],
                   check=True)
    choice = generator(seed)
    library = Library(programs, folder)
    library.start()
    boxes = []
    for number in range(count):
        offset = OFFSETS[number % len(OFFSETS)]
        box = Box(programs, folder, f"box{number}")
        # T10: it is wrong from the beginning, when there is no certificate of its own yet.
        box.prefix = ["env", f"LD_PRELOAD={shim}", f"WRONG_CLOCK_SECONDS={offset}"]
        box.enroll(library)
        before = time.time()
        outcome = box.run("capture", "--camera", "synthetic-camera", "--count", str(choice.randint(1, 4)), timeout=60)
        if outcome.returncode:
            raise Broken(f"with a clock off by {offset} s no capture: {outcome.stderr}")
        box.note(outcome.stdout)
        outcome = box.run("sync", "--once", "--json", timeout=120)
        if outcome.returncode:
            raise Broken(f"with a clock off by {offset} s no sync: {outcome.stdout} {outcome.stderr}")
        times = judge(library, box, before, time.time(), offset)
        boxes.append(box)
        say(f"  clock off by {offset} s: {times} shots arrived with the right time")
    assets = check(library, boxes, set())
    say(f"  {assets} assets, each once and whole")
    library.stop()


def judge(library, box, first, last, offset):
    """Each shot's time lies between the moments around it, and says that it was corrected."""
    mine = [asset for asset in library.assets() if asset["id"] in box.reported]
    for asset in mine:
        capture = asset["captureTime"]
        moment = datetime.datetime.fromisoformat(capture["wall"].replace("Z", "+00:00")).timestamp()
        if not first - 2 <= moment <= last + 2:
            raise Broken(f"promise 15: with a clock off by {offset} s a shot of now arrived as of {capture['wall']}")
        if not capture["isSynchronized"]:
            raise Broken(f"promise 15: with a clock off by {offset} s a shot's time is not called corrected: {capture}")
    if len(mine) != len(box.reported) or not mine:
        raise Broken(f"promise 1: with a clock off by {offset} s {len(box.reported)} shots became {len(mine)} assets")
    return len(mine)
