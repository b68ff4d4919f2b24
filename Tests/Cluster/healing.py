"""Boxes that send again what a library lost, after it began a new history."""
import json
import subprocess

from system import Broken, environment, wait_for

OFFERED = "are offered again"
# Objects of lost rows: the bytes come again under another key, and the sweep takes these in time.
LEFT_OVER = {"unreferencedBytes", "abandonedStaging"}


def heal_by_command(box, lost):
    """Syncs until nothing is owed; the box has to say that it sent at least as many as were lost."""
    saved = 0

    def done():
        nonlocal saved
        outcome = box.run("sync", "--once", "--json")
        report = json.loads(outcome.stdout) if outcome.stdout else {}
        saved += report.get("saved", 0)
        return report.get("outcome") == "nothingToDo"

    wait_for(f"{box.path.name} has sent what was lost", done, seconds=300)
    if saved < lost:
        raise Broken(f"{box.path.name} says that it sent {saved}, and {lost} of its receipts were lost")


def heal_as_service(box, history):
    """Nobody does anything: the service notices at its next contact."""
    log = box.folder / f"{box.path.name}.log"
    mark = log.stat().st_size if log.exists() else 0
    with open(log, "ab") as errors:
        service = subprocess.Popen(box.command("run"), stdout=subprocess.DEVNULL, stderr=errors, env=environment())
    try:
        wait_for(f"{box.path.name} has sent what was lost", lambda: not unhealed(box, history), seconds=300)
    finally:
        service.terminate()
        try:
            service.wait(timeout=60)
        except subprocess.TimeoutExpired:
            service.kill()
            raise Broken(f"{box.path.name} does not stop") from None
    text = log.read_bytes()[mark:].decode(errors="replace")
    if OFFERED not in text:
        raise Broken(f"{box.path.name} does not say that captures {OFFERED}: {text[-2000:]}")


def unhealed(box, history):
    """The box's assets without a receipt of a history."""
    return [
        entry["id"] for entry in box.queue()
        if entry["state"] != "committed" or entry["receipt"]["receipt"]["libraryEpoch"] != history
    ]


def check_receipts(box, history):
    if left := unhealed(box, history):
        raise Broken(f"promise 4: {box.path.name} has {len(left)} without a receipt of the history: {left}")
