#!/usr/bin/env python3
"""The workload of MergeBenchmark.swift with pycrdt and loro, as far as they are installed.

Prints one line a library, tab-separated: name, merged op/s, the same per CPU second, bytes per op, one-by-one op/s, bytes
per single op, seconds and megabytes to load 100,000 assets. Merging is native code only: the edits are exported before.
"""
import gc, importlib.metadata, random, subprocess, sys, time

FIELDS = ["favorite", "hidden", "rating", "captureDateOverride", "locationOverride", "title", "caption", "capture"]
NUMBERS = FIELDS[:3]
OPERATIONS, REPLICAS, ASSETS, LOADED = 100_000, 10, 10_000, 100_000


def edits(seed, count):
    draw = random.Random(seed)
    for _ in range(count):
        asset = "a%07d" % draw.randrange(ASSETS)
        if draw.random() < 0.8:
            field = draw.choice(FIELDS)
            yield asset, field, draw.randrange(6) if field in NUMBERS else "v%d text" % draw.randrange(10**6)
        else:
            yield asset, None, "tag%03d" % draw.randrange(300)


def fresh(i):
    return {"sha256": "%064x" % (i * 2654435761), "origin": "IMG_%06d.JPG" % i, "capture": 1714550400 + i, "favorite": 0, "rating": 0}


class Pycrdt:
    def __init__(self):
        import pycrdt
        self.library = pycrdt

    def base(self, count):
        document = self.library.Doc(client_id=1)
        assets = document.get("assets", type=self.library.Map)
        with document.transaction():
            for i in range(count):
                assets["a%07d" % i] = self.library.Map({**fresh(i), "tags": self.library.Map()})
        return document.get_update()

    def load(self, snapshot, who):
        document = self.library.Doc(client_id=who + 10)
        document.get("assets", type=self.library.Map)
        document.apply_update(snapshot)
        return document

    def edit(self, document, operations):
        assets = document.get("assets", type=self.library.Map)
        with document.transaction():
            for asset, field, value in operations:
                if field:
                    assets[asset][field] = value
                else:
                    assets[asset]["tags"][value] = True

    def batch(self, document, operations):
        before = document.get_state()
        self.edit(document, operations)
        return document.get_update(before)

    def singles(self, document, operations):
        updates = []
        subscription = document.observe(lambda event: updates.append(bytes(event.update)))
        for operation in operations:
            self.edit(document, [operation])
        document.unobserve(subscription)
        return updates

    def merge(self, document, update):
        document.apply_update(update)


class Loro:
    def __init__(self):
        import loro
        self.library = loro

    def base(self, count):
        document = self.library.LoroDoc()
        document.peer_id = 1
        assets = document.get_map("assets")
        for i in range(count):
            asset = assets.insert_container("a%07d" % i, self.library.LoroMap())
            for key, value in fresh(i).items():
                asset.insert(key, value)
            asset.insert_container("tags", self.library.LoroMap())
        document.commit()
        return document.export(self.library.ExportMode.Snapshot())

    def load(self, snapshot, who):
        document = self.library.LoroDoc()
        document.peer_id = who + 10
        document.import_(snapshot)
        return document

    def batch(self, document, operations):
        before = document.oplog_vv
        assets = document.get_map("assets")
        for asset, field, value in operations:
            container = assets.get(asset).container
            if field:
                container.insert(field, value)
            else:
                container.get("tags").container.insert(value, True)
        document.commit()
        return document.export(self.library.ExportMode.Updates(before))

    def singles(self, document, operations):
        return [self.batch(document, [operation]) for operation in operations]

    def merge(self, document, update):
        document.import_(update)


def resident():
    gc.collect()
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def measure(name, library):
    base = library.base(ASSETS)
    updates = [library.batch(library.load(base, who), edits(1000 + who, OPERATIONS // REPLICAS)) for who in range(REPLICAS)]
    merged, merged_cpu = 0.0, 0.0
    for attempt in range(3):
        target = library.load(base, 90)
        wall, cpu = time.perf_counter(), time.process_time()
        for update in updates:
            library.merge(target, update)
        merged = max(merged, OPERATIONS / (time.perf_counter() - wall))
        merged_cpu = max(merged_cpu, OPERATIONS / (time.process_time() - cpu))
    count = 10_000
    singles = library.singles(library.load(base, 49), edits(1, count))
    target = library.load(base, 50)
    wall = time.perf_counter()
    for update in singles:
        library.merge(target, update)
    single = count / (time.perf_counter() - wall)
    sizes = sum(map(len, updates)) / OPERATIONS, sum(map(len, singles)) / count
    return [name, merged, merged_cpu, sizes[0], single, sizes[1]]


def measure_load(library, snapshot):
    before, start = resident(), time.perf_counter()
    document = library.load(snapshot, 90)
    seconds = time.perf_counter() - start
    return seconds, resident() - before, document


def main():
    peers = {"pycrdt": Pycrdt, "loro": Loro}
    if len(sys.argv) == 3:
        print("%f\t%f" % measure_load(peers[sys.argv[1]](), sys.stdin.buffer.read())[:2])
        return
    for name, peer in peers.items():
        try:
            library = peer()
        except ImportError:
            continue
        row = measure("%s %s" % (name, importlib.metadata.version(name)), library)
        # A process of its own, so that its memory holds nothing else.
        load = subprocess.run([sys.executable, __file__, name, "load"], input=library.base(LOADED), stdout=subprocess.PIPE)
        print("\t".join(map(str, row)) + "\t" + load.stdout.decode().strip(), flush=True)


if __name__ == "__main__":
    main()
