"""Agent and server killed or paused at random moments while three boxes take in, capture and send."""
import signal
import subprocess
import threading
import time

from system import Box, Broken, Library, check, generator, photos, say, wait_for


def run(programs, folder, count, seed):
    """Kills so many agents, and about a third as often the server, and pauses both; checks after every fifty."""
    choice = generator(seed)
    library = Library(programs, folder)
    library.start()
    boxes = [Box(programs, folder, f"box{number}") for number in range(3)]
    imported, failures, pauses = set(), [], []
    lock = threading.Lock()
    for box in boxes:
        box.enroll(library)
    number = 0
    while sum(box.kills for box in boxes) < count:
        goal = min(count, sum(box.kills for box in boxes) + 50)
        stop = threading.Event()

        def work(box, own):
            nonlocal number
            cards = []
            while sum(box.kills for box in boxes) < goal and not failures:
                try:
                    with lock:
                        number += 1
                        mine = number
                    sizes = [own.choice([1000, 60_000, 20_000, 1_500_000]) for _ in range(own.randint(1, 5))]
                    card, digests = photos(folder, mine, sizes, own)
                    with lock:
                        imported.update(digests)
                    cards.append(card)
                    box.kill_after(own.uniform(0, 0.4), "import", str(card))
                    capture = ["capture", "--camera", "synthetic-camera", "--count", str(own.randint(1, 20))]
                    if own.random() < 0.4:
                        doze(box, own, own.choice([["import", str(card)], ["sync", "--once"], capture, ["run"]]))
                        pauses.append("agent")
                    box.kill_after(own.uniform(0, 0.7), "sync", "--once")
                    box.kill_after(own.uniform(0.05, 1.2), *capture)
                    box.kill_after(own.uniform(0, 1.5), "run")
                except Exception as problem:  # noqa: BLE001 - told by the main thread
                    failures.append(problem)
            box.cards = cards

        def shoot(own):
            while not stop.wait(own.uniform(0.1, 1.2)) and not failures:
                try:
                    if own.random() < 0.2:
                        pause(library.process, own)
                        pauses.append("server")
                        continue
                    library.kill()
                    time.sleep(own.uniform(0, 0.5))
                    library.start()
                except Exception as problem:  # noqa: BLE001
                    failures.append(problem)

        threads = [threading.Thread(target=work, args=(box, generator(choice.random()))) for box in boxes]
        killer = threading.Thread(target=shoot, args=(generator(choice.random()),))
        for thread in [*threads, killer]:
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        killer.join()
        if failures:
            raise failures[0]
        for box in boxes:
            for card in box.cards:
                outcome = wait_for_import(box, card)
                if outcome.returncode:
                    raise Broken(f"import: {outcome.stderr}")
            box.drain()
        assets = check(library, boxes, imported)
        kills = sum(box.kills for box in boxes)
        say(f"  {kills} kills of agents, {library.kills} of the server; {pauses.count('agent')} pauses of agents, "
            f"{pauses.count('server')} of the server: {assets} assets, each once and whole")
    library.stop()


def pause(process, own):
    """Stops it for some seconds wherever it is, as a virtual machine that is paused."""
    process.send_signal(signal.SIGSTOP)
    time.sleep(own.uniform(0.5, 4))
    process.send_signal(signal.SIGCONT)


def doze(box, own, arguments):
    """Lets a command sleep in the middle: awake it goes on, and comes to its end."""
    process = box.start(*arguments)
    time.sleep(own.uniform(0, 0.7))
    pause(process, own)
    if arguments[0] == "run":
        time.sleep(own.uniform(0, 1))
        process.terminate()
    try:
        output, _ = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Broken(f"{arguments[0]} does not end after a pause") from None
    box.note(output.decode(errors="replace"))


def wait_for_import(box, card):
    """Takes a card in whole; a lock that a killed process left is gone with it."""
    outcome = None

    def done():
        nonlocal outcome
        outcome = box.run("import", str(card))
        return outcome.returncode == 0

    wait_for(f"{card.name} is taken in", done)
    return outcome
