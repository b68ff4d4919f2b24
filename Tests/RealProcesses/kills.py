"""Agent and server killed at random moments while three boxes take in, capture and send."""
import threading
import time

from system import Box, Broken, Library, check, generator, photos, say, wait_for


def run(programs, folder, count, seed):
    """Kills so many agents, and about a third as often the server; checks after every fifty."""
    choice = generator(seed)
    library = Library(programs, folder)
    library.start()
    boxes = [Box(programs, folder, f"box{number}") for number in range(3)]
    imported, failures = set(), []
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
                    box.kill_after(own.uniform(0, 0.7), "sync", "--once")
                    capture = ["capture", "--camera", "synthetic-camera", "--count", str(own.randint(1, 20))]
                    box.kill_after(own.uniform(0.05, 1.2), *capture)
                    box.kill_after(own.uniform(0, 1.5), "run")
                except Exception as problem:  # noqa: BLE001 - told by the main thread
                    failures.append(problem)
            box.cards = cards

        def shoot(own):
            while not stop.wait(own.uniform(0.1, 1.2)) and not failures:
                try:
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
        say(f"  {kills} kills of agents, {library.kills} of the server: {assets} assets, each once and whole")
    library.stop()


def wait_for_import(box, card):
    """Takes a card in whole; a lock that a killed process left is gone with it."""
    outcome = None

    def done():
        nonlocal outcome
        outcome = box.run("import", str(card))
        return outcome.returncode == 0

    wait_for(f"{card.name} is taken in", done)
    return outcome
