import Authorization
package import LibraryAPI
import Persistence
import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Accepts a replica's changes in counter order.
    ///
    /// Each is accepted or refused permanently; already judged ones are skipped, and refusals repeated. A stamp too far
    /// ahead stops the push there: the device restamps, since nobody else has seen the change. If another copy of the
    /// replica wrote different changes under the same counters, nothing is accepted, and the device rewrites its
    /// pending changes under a new incarnation; any further contact under the old one comes from a copy.
    ///
    /// The push takes as many writer turns as it needs (`WriterTurn`), each a separate transaction. If one fails, earlier
    /// turns stay in effect, and are skipped when the device retries.
    package func push(_ push: ChangePush, by caller: StoreCaller) async throws -> ChangePushResponse {
        guard push.changes.count <= APILimits.pushCount, push.incarnation.utf8.count == 32,
            let bits = UInt128(push.incarnation, radix: 16)
        else {
            throw StoreError(.malformedRequest, "A push has an incarnation and at most \(APILimits.pushCount) changes.")
        }
        var progress = PushProgress(push, of: ReplicaID(rawValue: bits))
        repeat {
            // Others waiting for the writer get their turn in between.
            progress = try await store.write([.library] + caller.locks) { [progress] database in
                try turn(progress, by: caller, database)
            }
        } while !progress.isDone
        // The changes are accepted even if this fails: upkeep continues, and reports what is wrong.
        for album in progress.albums { try? await settle(album) }
        guard !progress.isForked else {
            throw StoreError(
                .changesForked,
                "Another copy of this replica wrote different changes.",
                about: "\(progress.incarnation)"
            )
        }
        return progress.answer
    }

    private func turn(
        _ earlier: PushProgress,
        by caller: StoreCaller,
        _ database: any SQLSession
    ) throws -> PushProgress {
        var progress = earlier
        let record = try admit(caller, database)
        try WriterTable.requireForeign(progress.incarnation, database)
        guard var row = try ReplicaTable.fetch(progress.incarnation, database),
            row.record.device == caller.deviceID?.rawValue
        else { throw StoreError(.preconditionFailed, "The replica is unknown: make contact first.") }
        guard try progress.begin(on: &row) else {
            try row.save(database)
            return progress
        }
        let rows = ReplicatedTable(
            database: database,
            effects: effects,
            note: ChangeNote(record.map { Actor.device($0.device) } ?? .policy, ChangeNote.surplus)
        )
        var turn = WriterTurn()
        let judgement = try ChangeJudgement(of: row.record, progress.upcoming(in: turn), by: record, database)
        var taken = PushedChanges(rows, ahead: judgement.ahead, by: DeviceID(rawValue: row.record.device))
        var hasNotedUse = false
        let milliseconds = UInt64(max(effects.now().millisecondsSince1970, 0))
        while let pushed = progress.next, turn.hasRoom {
            turn.count(pushed, isWrittenAlone: judgement.dependsOnView)
            let decoded = judgement.ahead.changes(at: progress.place)
            progress.pass()
            if pushed.counter <= row.record.history.counter {
                progress.answer.refused += try ReplicaTable.refusal(of: progress.incarnation, pushed.counter, database)
                continue
            }
            let change: Change
            let delta: Delta
            do {
                (change, delta) = try row.extend(with: pushed, decoded: decoded, milliseconds, .sha256)
            } catch  where progress.hasAnswers {
                progress.stop()
                break
            }
            progress.answer.acknowledged = row.record.history.counter
            turn.count(superseded: change.superseded.count)
            do {
                // A change that is not valid for a library is refused like any other, once it has its place in the
                // history.
                guard pushed.delta.bytes.count <= APILimits.deltaByteCount else {
                    throw StoreError(.tooLarge, "A change has at most \(APILimits.deltaByteCount) bytes.")
                }
                // A device that sees only a part is judged by the effects of earlier changes.
                if judgement.dependsOnView { try taken.write() }
                let entity = try judgement.admit(change, after: &taken, in: &turn)
                turn.count(stateBytes: try taken.take(change, as: delta, of: entity))
                progress.noteAlbum(of: change, entity)
                if let record, !hasNotedUse, try judgement.needsReadWrite(entity) {
                    try DeviceTable.noteUse(of: .readWrite, by: record.device, at: effects.now(), database)
                    hasNotedUse = true
                }
            } catch let error as StoreError {
                let refusal = ChangePushResponse.Refusal(counter: pushed.counter, problem: error.details)
                try ReplicaTable.keep(refusal, pushed, of: progress.incarnation, database)
                progress.answer.refused.append(refusal)
            }
        }
        try taken.write()
        try row.save(database)
        try ReplicaTable.forgetRefusals(of: progress.incarnation, database)
        progress.end(with: row.record.history, number: try judgement.number(after: taken))
        return progress
    }
}

/// The progress of a push across writer turns.
private struct PushProgress: Sendable {
    let incarnation: ReplicaID
    var answer = ChangePushResponse(acknowledged: 0)
    private(set) var isForked = false
    /// The albums that may have appeared or disappeared.
    private(set) var albums: Set<AlbumID> = []
    private let push: ChangePush
    /// The place of the next change.
    private(set) var place = 0
    private var isStopped = false
    /// What was admitted when the push began; nil before.
    private var admitted: UInt64?
    /// The changes for which the next turn reads ahead: twice what the last one took, since how long documents and states
    /// are is known only when they are read.
    private var foreseen = WriterTurn.usual
    /// The place at which this turn began.
    private var beginning = 0
    /// The history at the end of the last turn.
    private var history: HistoryChain?

    init(_ push: ChangePush, of incarnation: ReplicaID) {
        self.push = push
        self.incarnation = incarnation
    }

    /// The next change to judge; nil after the last.
    var next: ChangePush.Change? { place < push.changes.count ? push.changes[place] : nil }

    /// The changes that a turn will probably take: what is read for others is read again in the next one.
    func upcoming(in turn: WriterTurn) -> ArraySlice<ChangePush.Change> {
        var turn = turn
        return push.changes[place...].prefix(foreseen).prefix { change in
            defer { turn.count(change) }
            return turn.hasRoom
        }
    }

    /// Whether no further turn is needed.
    var isDone: Bool { isForked || isStopped || next == nil }

    /// Whether there are results, so that a change that cannot be judged yet only ends the push.
    var hasAnswers: Bool { answer.acknowledged > admitted ?? 0 || !answer.refused.isEmpty }

    mutating func pass() { place += 1 }

    mutating func stop() { isStopped = true }

    /// Records the album of an accepted change that may make it appear or disappear.
    mutating func noteAlbum(of change: Change, _ entity: EntityReference) {
        guard case .album(let id) = entity, [AlbumField.presence, AlbumField.tombstone].contains(change.field) else {
            return
        }
        albums.insert(id)
    }

    /// Checks the push against the stored history.
    ///
    /// - Returns: false if another copy wrote something else, which is then recorded in the row.
    /// - Throws: `unavailable` if the same replica pushed something else between two turns.
    mutating func begin(on row: inout ReplicaTable) throws -> Bool {
        if let history {
            guard row.record.history == history || row.isContinued(by: push, .sha256) else {
                throw StoreError(.unavailable, "This replica is pushing twice at once: push again.")
            }
            return true
        }
        guard row.isContinued(by: push, .sha256) else {
            if row.standing == .good { row.standing = .rolledBack }
            isForked = true
            return false
        }
        admitted = row.record.history.counter
        answer.acknowledged = row.record.history.counter
        return true
    }

    mutating func end(with history: HistoryChain, number: ChangeNumber?) {
        self.history = history
        answer.acknowledged = history.counter
        answer.changeNumber = number ?? answer.changeNumber
        foreseen = 2 * (place - beginning)
        beginning = place
    }
}
