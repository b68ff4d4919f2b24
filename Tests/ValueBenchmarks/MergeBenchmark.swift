import BenchmarkSupport
import Glibc
import Replication
import TestSupport

/// The workload of `crdt_peers.py`: ten replicas edit 10,000 assets from a common base, 80 % last-writer-wins fields among
/// eight, 20 % tags among 300; then a fresh copy of the base takes in what all of them made.
func mergeBenchmark() throws {
    let workload = MergeWorkload()
    let base = try workload.base(assets: workload.assets)
    let deltas = try (0..<workload.replicas).map { try workload.edits(by: $0, on: base) }
    let encoded = deltas.map(\.encoded)
    let bytesPerOperation = Double(encoded.map(\.count).reduce(0, +)) / Double(workload.operations)

    let runs = try (0..<5).map { _ in
        var state = base
        return try measure { for bytes in encoded { state.apply(try Delta(encoded: bytes)) } }
    }
    let best = runs.min { $0.wall < $1.wall } ?? runs[0]
    let own = MergeResult(
        merge: Double(workload.operations) / best.wall.seconds,
        mergeCPU: Double(workload.operations) / best.cpu.seconds,
        bytesPerOperation: bytesPerOperation,
        single: 0,
        bytesPerSingle: 0,
        load: 0,
        loadMegabytes: 0
    )
    try checkConvergence(base, encoded)
    let result = try measureLoad(workload, try measureSingles(base, deltas, own))
    result.report("tintype")
    guard let peers = peerResults() else {
        return print("peers: absent (needs python3 with pycrdt and loro; TINTYPE_PYTHON names the interpreter)")
    }
    for (name, peer) in peers {
        peer.report(name)
        result.reportRatio(to: peer, name)
    }
}

private func checkConvergence(_ base: ReplicaState, _ encoded: [[UInt8]]) throws {
    var forward = base
    var backward = base
    for bytes in encoded { forward.apply(try Delta(encoded: bytes)) }
    for bytes in encoded.reversed() { backward.apply(try Delta(encoded: bytes)) }
    print("converged: \(forward.canonicalBytes == backward.canonicalBytes)")
}

private func measureSingles(_ base: ReplicaState, _ deltas: [Delta], _ result: MergeResult) throws -> MergeResult {
    let singles = deltas[0].changes.map { Delta(CollectionOfOne($0)).encoded }
    var state = base
    let run = try measure { for bytes in singles { state.apply(try Delta(encoded: bytes)) } }
    var result = result
    result.single = Double(singles.count) / run.wall.seconds
    result.bytesPerSingle = Double(singles.map(\.count).reduce(0, +)) / Double(singles.count)
    return result
}

private func measureLoad(_ workload: MergeWorkload, _ result: MergeResult) throws -> MergeResult {
    let source = try workload.base(assets: workload.loadedAssets)
    let snapshot = source.canonicalBytes
    let before = residentBytes()
    var state = ReplicaState()
    let run = try measure { state = try ReplicaState(canonicalBytes: snapshot) }
    let growth = residentBytes() - before
    // The source lives until here, so that what is loaded cannot hide in memory that it gave back.
    withExtendedLifetime(source) {}
    print("snapshot: \(state.count) assets, \(snapshot.count) bytes")
    var result = result
    result.load = run.wall.seconds
    result.loadMegabytes = Double(growth) / 1e6
    return result
}

/// What is measured of us and of a peer.
private struct MergeResult {
    var merge: Double
    var mergeCPU: Double
    var bytesPerOperation: Double
    var single: Double
    var bytesPerSingle: Double
    var load: Double
    var loadMegabytes: Double

    func report(_ name: String) {
        print(
            "\(name): merge \(Int(merge)) op/s (\(Int(mergeCPU)) per CPU second), \(rounded(bytesPerOperation)) B/op;",
            "one by one \(Int(single)) op/s, \(rounded(bytesPerSingle)) B; load \(rounded(load * 1000)) ms,",
            "\(rounded(loadMegabytes)) MB"
        )
    }

    func reportRatio(to peer: Self, _ name: String) {
        print(
            "ratio to \(name): merge \(rounded(merge / peer.merge))x, per CPU \(rounded(mergeCPU / peer.mergeCPU))x,",
            "bytes \(rounded(bytesPerOperation / peer.bytesPerOperation))x, one by one \(rounded(single / peer.single))x,",
            "load time \(rounded(load / peer.load))x, memory \(rounded(loadMegabytes / peer.loadMegabytes))x"
        )
    }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// Runs the peers in a process of their own; nil when there are none.
private func peerResults() -> [(String, MergeResult)]? {
    let interpreter = unsafe getenv("TINTYPE_PYTHON").map { unsafe String(cString: $0) } ?? "python3"
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard let pipe = unsafe popen("'\(interpreter)' '\(folder)/crdt_peers.py' 2>/dev/null", "r") else { return nil }
    defer { unsafe pclose(pipe) }
    var results: [(String, MergeResult)] = []
    var line = [CChar](repeating: 0, count: 1024)
    while unsafe fgets(&line, 1024, pipe) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let fields = text.split(separator: "\t").map { $0.filter { !$0.isNewline } }
        let numbers = fields.dropFirst().compactMap { Double(String($0)) }
        guard numbers.count == 7 else { continue }
        results.append(
            (
                String(fields[0]),
                MergeResult(
                    merge: numbers[0],
                    mergeCPU: numbers[1],
                    bytesPerOperation: numbers[2],
                    single: numbers[3],
                    bytesPerSingle: numbers[4],
                    load: numbers[5],
                    loadMegabytes: numbers[6]
                )
            )
        )
    }
    return results.isEmpty ? nil : results
}

/// Makes the workload.
private struct MergeWorkload {
    let operations = 100_000
    let replicas = 10
    let assets = 10_000
    let loadedAssets = 100_000
    private let start: UInt64 = 1_790_000_000_000
    private let fields = (2...9).map { FieldID(rawValue: $0 == 9 ? 11 : $0) }

    /// As many assets with five fields each, written by one replica.
    func base(assets count: Int) throws -> ReplicaState {
        var author = author(0)
        var changes = Delta()
        for index in 0..<count {
            author.milliseconds += 1
            let id = EntityID.asset(assetBits(index))
            let first = author.incarnation.counter
            for (field, value) in fresh(index) {
                let dot = author.incarnation.nextDot()
                changes.append(
                    Change(
                        entity: id,
                        field: field,
                        dot: dot,
                        after: dot.counter == first + 1 ? 0 : dot.counter - 1,
                        stamp: try author.clock.next(at: author.milliseconds),
                        value: value,
                        superseded: []
                    )
                )
            }
        }
        var state = ReplicaState()
        state.apply(changes)
        return state
    }

    private func fresh(_ index: Int) -> [(FieldID, FieldValue)] {
        var generator = SeededGenerator(seed: UInt64(index))
        let digits = String(1_000_000 + index).dropFirst()
        return [
            (AssetField.resource, .bytes(generator.bytes(32))),
            (AssetField.origin, .text("IMG_\(digits).JPG")),
            (AssetField.capture, .integer(1_714_550_400 + Int64(index))),
            (AssetField.favorite, .integer(0)),
            (AssetField.rating, .integer(0)),
        ]
    }

    /// One replica's share of the edits, in one sitting: a thousand edits in each tenth of a second.
    func edits(by replica: Int, on base: ReplicaState) throws -> Delta {
        var generator = SeededGenerator(seed: UInt64(1000 + replica))
        var author = author(1 + replica)
        author.milliseconds += 1_000_000
        var state = base
        var delta = Delta()
        for index in 0..<operations / replicas {
            if index % 10 == 0 { author.milliseconds += 1 }
            let id = EntityID.asset(assetBits(generator.below(assets)))
            if generator.below(10) < 8 {
                let field = generator.pick(fields)
                let isNumber = field.rawValue <= AssetField.rating.rawValue
                let value: FieldValue =
                    isNumber
                    ? .integer(Int64(generator.below(6))) : .text("v\(generator.below(1_000_000)) text")
                if let change = try state.set(value, field: field, of: id, by: &author) { delta.append(change) }
            } else {
                let tag = String(1000 + generator.below(300)).dropFirst()
                delta.append(try state.add(.text("tag\(tag)"), to: AssetField.keyword, of: id, by: &author))
            }
        }
        return delta
    }

    private func author(_ number: Int) -> Author {
        var generator = SeededGenerator(seed: UInt64(7_000_000 + number))
        return Author(incarnation: Incarnation(replica: ReplicaID(using: &generator)), milliseconds: start)
    }

    private func assetBits(_ index: Int) -> UInt128 {
        var generator = SeededGenerator(seed: UInt64(9_000_000 + index))
        return UInt128(generator.next()) << 64 | UInt128(generator.next())
    }
}
