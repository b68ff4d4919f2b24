import Replication

/// What a set of changes means, worked out as plainly as possible: a write is live unless another one supersedes it.
struct ReferenceModel {
    let changes: Set<Change>

    /// Says where a state differs from what its changes mean; nil when it does not.
    func difference(from state: ReplicaState) -> String? {
        let ids = Set(changes.map(\.entity))
        guard Set(state.identifiers) == ids else { return "holds other entities than its changes name" }
        for id in ids {
            guard let view = state.entityView(id) else { return "lacks \(id)" }
            let mine = changes.filter { $0.entity == id }
            if let reason = difference(from: view, of: mine) { return reason }
        }
        return nil
    }

    private func difference(from view: EntityView, of mine: Set<Change>) -> String? {
        let purges = mine.filter { $0.field == .purge }
        if let last = purges.max(by: { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }) {
            let isThatOnly = view.fields == [.purge] && view.writes(.purge).map(\.dot) == [last.dot]
            return isThatOnly ? nil : "keeps something of a purged entity"
        }
        let superseded = Set(mine.flatMap(\.superseded))
        for change in mine {
            let isLive = view.writes(change.field).contains { $0.dot == change.dot }
            let shouldLive = change.value != nil && !superseded.contains(change.dot)
            if isLive != shouldLive { return "write \(change.dot.counter) is \(isLive ? "live" : "gone")" }
            if !view.hasSeen(change.dot) { return "does not know write \(change.dot.counter)" }
        }
        for field in view.fields {
            for write in view.writes(field) {
                guard let change = mine.first(where: { $0.dot == write.dot && $0.field == field }) else {
                    return "holds a write that nobody made"
                }
                guard change.value == write.value, change.stamp == write.stamp else {
                    return "has changed a value or a stamp"
                }
            }
        }
        return registerDifference(from: view)
    }

    /// Of a register the greatest (stamp, replica) shows, and the next eight are listed.
    private func registerDifference(from view: EntityView) -> String? {
        for field in view.fields {
            let ordered = view.writes(field).sorted { ($1.stamp, $1.dot) < ($0.stamp, $0.dot) }
            guard let register = view.register(field) else { return "a field that holds something has no register" }
            guard register.current == ordered.first, register.superseded == Array(ordered.dropFirst().prefix(8)),
                register.surplus.count == max(0, ordered.count - 9)
            else { return "a register shows other values than the greatest" }
        }
        return nil
    }
}
