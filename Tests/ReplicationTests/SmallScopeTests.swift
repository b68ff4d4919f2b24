import Replication
import TestSupport
import Testing

/// Every run of three replicas with up to three operations: each choice of operations, and each interleaving of their
/// delivery with one duplicate, one restart or one restored image.
struct SmallScopeTests {
    @Test("every small run converges, loses no edit, resurrects nothing, and equals the plain reading")
    func everyRun() throws {
        var explorer = Explorer()
        try explorer.explore()
        print("small scope: \(explorer.cases) runs")
        #expect(explorer.failures.isEmpty, "\(explorer.failures.prefix(3))")
        #expect(explorer.cases > 4913)
    }
}

/// What may happen once in a run besides operations and deliveries.
private enum Incident: CaseIterable {
    case none, duplicate, restart, restore
}

/// What a replica may do.
private enum Operation: CaseIterable {
    case title, add, remove
}

/// Three replicas, what they have published, and what may still happen.
private struct SmallWorld {
    var replicas: [TestReplica]
    var published: [Change] = []
    var images: [TestReplica]
    var incarnations: UInt64 = 3
    var trail = ""

    init() {
        replicas = (0..<3).map { index in
            let incarnation = Incarnation(replica: ReplicaID(rawValue: UInt128(index + 1)))
            return TestReplica(author: Author(incarnation: incarnation, milliseconds: 1))
        }
        images = replicas
    }

    static let asset = EntityID.asset(1)

    mutating func perform(_ operation: Operation, at index: Int) throws {
        images[index] = replicas[index]
        let word = FieldValue.text("k")
        var replica = replicas[index]
        let change: Change? =
            switch operation {
            case .title:
                try replica.state.set(
                    .integer(Int64(published.count)),
                    field: AssetField.title,
                    of: Self.asset,
                    by: &replica.author
                )
            case .add: try replica.state.add(word, to: AssetField.keyword, of: Self.asset, by: &replica.author)
            case .remove: try replica.state.remove(word, from: AssetField.keyword, of: Self.asset, by: &replica.author)
            }
        replica.record([change])
        replicas[index] = replica
        if let change { published.append(change) }
        trail += " \(operation)@\(index)"
    }

    mutating func deliver(_ change: Change, to index: Int) {
        if !replicas[index].known.contains(change) { images[index] = replicas[index] }
        replicas[index].take(change)
        trail += " \(change.dot.counter)->\(index)"
    }

    /// Comes up again from what was stored.
    mutating func restart(_ index: Int) throws {
        let bytes = replicas[index].state.canonicalBytes
        replicas[index].state = try ReplicaState(canonicalBytes: bytes)
        trail += " restart@\(index)"
    }

    /// Comes up again from the image before the last step, and is told so at its first contact.
    mutating func restore(_ index: Int) throws {
        let lost = replicas[index]
        replicas[index] = images[index]
        trail += " restore@\(index)"
        guard lost.author.incarnation.counter > replicas[index].author.incarnation.counter else { return }
        incarnations += 1
        replicas[index].author.incarnation = Incarnation(replica: ReplicaID(rawValue: UInt128(incarnations)))
    }

    /// Lets everything arrive and says what is wrong then.
    func failure() -> String? {
        var settled: [ReplicaState] = []
        for (index, replica) in replicas.enumerated() {
            var state = replica.state
            let missing = published.filter { !replica.known.contains($0) }
            for change in index == 1 ? missing.reversed() : missing { state.apply(change) }
            settled.append(state)
        }
        let bytes = settled.map(\.canonicalBytes)
        if bytes[0] != bytes[1] || bytes[1] != bytes[2] { return "no convergence" }
        let covered = Set(published.flatMap(\.superseded))
        for change in published where change.value != nil {
            let isLive =
                settled[0].entityView(Self.asset)?.writes(change.field).contains { $0.dot == change.dot } == true
            if !isLive, !covered.contains(change.dot) { return "lost edit" }
            if isLive, covered.contains(change.dot) { return "resurrection" }
        }
        return ReferenceModel(changes: Set(published)).difference(from: settled[0])
    }
}

/// Goes through all the runs, depth first.
private struct Explorer {
    var cases = 0
    var failures: [String] = []

    mutating func explore() throws {
        for incident in Incident.allCases {
            try operate(SmallWorld(), left: 3, incident: incident)
        }
    }

    /// Each next operation at each replica; the first one at replica 0, since the replicas differ in nothing yet.
    private mutating func operate(_ world: SmallWorld, left: Int, incident: Incident) throws {
        for index in 0..<(left == 3 ? 1 : 3) {
            for operation in Operation.allCases {
                var next = world
                try next.perform(operation, at: index)
                // An operation that has nothing to do is another run's shorter one.
                guard next.published.count > world.published.count else { continue }
                try deliver(next, pending: next.pending, left: left - 1, incident: incident)
            }
        }
    }

    /// Each choice of what arrives before the next operation, in both orders.
    private mutating func deliver(
        _ world: SmallWorld,
        pending: [(change: Change, index: Int)],
        left: Int,
        incident: Incident
    ) throws {
        guard left > 0 else { return try finish(world, incident: incident) }
        try occur(world, left: left, incident: incident)
        for (position, delivery) in pending.enumerated() {
            var next = world
            next.deliver(delivery.change, to: delivery.index)
            // Deliveries to different replicas commute: only those to the same one are tried in both orders.
            let rest = pending.enumerated()
                .filter { $0.offset > position || ($0.offset < position && $0.element.index == delivery.index) }
                .map(\.element)
            try deliver(next, pending: rest, left: left, incident: incident)
        }
    }

    private mutating func occur(_ world: SmallWorld, left: Int, incident: Incident) throws {
        try operate(world, left: left, incident: incident)
        for changed in try world.after(incident) { try operate(changed, left: left, incident: .none) }
    }

    private mutating func finish(_ world: SmallWorld, incident: Incident) throws {
        for end in incident == .none ? [world] : try world.after(incident) {
            cases += 1
            if let reason = end.failure() { failures.append("\(reason):\(end.trail)") }
        }
    }
}

extension SmallWorld {
    /// The deliveries that have not been made.
    var pending: [(change: Change, index: Int)] {
        published.flatMap { change in
            replicas.indices.filter { !replicas[$0].known.contains(change) }.map { (change, $0) }
        }
    }

    /// The worlds after the incident has struck one of the replicas.
    func after(_ incident: Incident) throws -> [SmallWorld] {
        try replicas.indices.flatMap { index -> [SmallWorld] in
            var world = self
            switch incident {
            case .none:
                return []
            case .duplicate:
                let known = published.filter { replicas[index].known.contains($0) }
                return known.map { change in
                    var world = self
                    world.deliver(change, to: index)
                    return world
                }
            case .restart:
                try world.restart(index)
            case .restore:
                try world.restore(index)
            }
            return [world]
        }
    }
}
