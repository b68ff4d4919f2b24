import Authorization
import LibraryAPI
import PhotoModel

extension SQLMetadataStore {
    /// The most views that share one writer turn, of those in which a reader found what to follow.
    private static let viewsPerTurn = 64
    /// Of how many of them a view takes the room that the writer must search.
    private static let searchedWeight = 4

    /// Brings the rows of limited views up to date, in bounded writer turns, and runs `body` in each one's final turn.
    ///
    /// - Parameters:
    ///   - looks: the looks at the views.
    ///   - isInTurn: whether the caller has one of the turns of ``wholeReads``: waiting for another could last for ever.
    ///   - isShared: whether no look waits for what another's view needs beside the writer's turns: that one fails with
    ///     ``NeedsOwnLook``.
    ///   - body: what needs the current rows.
    /// - Returns: one outcome per look, in order.
    func afterWriting<Value: Sendable>(
        _ looks: [LimitedLook],
        isInTurn: Bool = false,
        isShared: Bool = false,
        _ body: @escaping @Sendable (LimitedLook, ChangeNumber, ViewTable, LibraryIdentity) throws -> Value
    ) async -> [Result<Value, any Error>] {
        var values: [Int: Result<Value, any Error>] = [:]
        var works = looks.map { ViewWork(look: $0) }
        var open = Array(looks.indices)
        while !open.isEmpty {
            var room = Self.viewsPerTurn
            let turn = Array(
                open.prefix { index in
                    room -= looks[index].found == nil ? Self.searchedWeight : 1
                    return room >= 0
                }
            )
            open.removeFirst(turn.count)
            do {
                let written = try await writeTurn(turn.map { works[$0] }, body)
                for (index, outcome) in zip(turn, written) {
                    do {
                        let outcome = try outcome.get()
                        values[index] = outcome.value.map { .success($0) }
                        guard outcome.value == nil else { continue }
                        if isShared, outcome.progress.needsMoreThanTurns { throw NeedsOwnLook() }
                        // What did not fit into one turn continues in another.
                        try await prepare(&works[index], after: outcome.progress, isInTurn: isInTurn)
                        open.append(index)
                    } catch {
                        values[index] = .failure(error)
                    }
                }
            } catch {
                // A problem with one view does not affect the others.
                guard turn.count > 1 else {
                    values[turn[0]] = .failure(error)
                    continue
                }
                for index in turn {
                    values[index] = await afterWriting([looks[index]], isInTurn: isInTurn, isShared: isShared, body)[0]
                }
            }
        }
        return looks.indices.map { values[$0] ?? .failure(CancellationError()) }
    }

    /// One writer turn for several views: the progress of each, and its value if its rows are up to date.
    private func writeTurn<Value: Sendable>(
        _ works: [ViewWork],
        _ body: @escaping @Sendable (LimitedLook, ChangeNumber, ViewTable, LibraryIdentity) throws -> Value
    ) async throws -> [Result<ViewOutcome<Value>, any Error>] {
        try await store.write(works.map { .view(of: $0.look.device) }) { [units = turns.viewUnits] database in
            let (identity, forgotten) = try Self.state(database)
            var turn = WriterTurn(units)
            let ahead = try ViewsAhead(for: works.map(\.look), atMost: turn.followedRoom, database)
            return try works.map { work -> Result<ViewOutcome<Value>, any Error> in
                let look = work.look
                var rows = look.rows(database)
                rows.ahead = ahead
                do {
                    let start = try Self.start(look.position, identity, look.grantVersion, forgotten: forgotten)
                    let progress = try rows.bringUpToDate(
                        to: identity.lastChange,
                        since: start,
                        grantVersion: look.grantVersion,
                        adding: work.found,
                        following: look.found.flatMap { $0.isKnown(to: identity) ? $0 : nil },
                        in: &turn
                    )
                    guard case .done = progress else { return .success(ViewOutcome(progress: progress)) }
                    return .success(ViewOutcome(progress: progress, value: try body(look, start, rows, identity)))
                } catch let error as StoreError {
                    // A refusal of this look alone, which comes before anything is written.
                    return .failure(error)
                }
            }
        }
    }

    /// Does outside the writer what a view's next turn needs.
    private func prepare(_ work: inout ViewWork, after progress: ViewTable.Progress, isInTurn: Bool) async throws {
        switch progress {
        case .done, .unfinished: return
        case .added(let count):
            work.found?.members.removeFirst(count)
            // The rest, if there is one, must be found.
            if let found = work.found, found.members.isEmpty, !found.isAll { work.found = nil }
        case .lacksMembers:
            let find = { @Sendable [look = work.look, limit = turns.foundMembers] (database: any SQLSession) in
                try look.rows(database).missing(atMost: limit)
            }
            work.found = try await isInTurn ? store.read(find) : readWhole(find)
        case .awaits(let album): _ = try await settleTurn(of: album)
        }
    }
}

/// A view that needs more than its part of what many looks share.
struct NeedsOwnLook: Error {}

/// A limited view whose rows are being brought up to date.
private struct ViewWork: Sendable {
    let look: LimitedLook
    /// The members to add; nil if they must be found.
    var found: FoundMembers?
}

/// What a writer turn made of a limited view.
private struct ViewOutcome<Value: Sendable>: Sendable {
    let progress: ViewTable.Progress
    /// Its value; nil if it needs another turn.
    var value: Value?
}

/// A look at a limited view.
struct LimitedLook: Sendable {
    var position: ChangePosition?
    var limit = 0
    let device: DeviceID
    let selection: Selection
    let grantVersion: UInt64
    /// What a reader found that concerns the view; nil if the writer must look itself.
    var found: FoundChanges?

    init(_ device: DeviceID, _ selection: Selection, _ grantVersion: UInt64) {
        self.device = device
        self.selection = selection
        self.grantVersion = grantVersion
    }

    /// Nil if everything is seen.
    init?(_ look: ChangeLook, following found: FoundChanges? = nil) {
        guard case .limited(let device, let selection, let version) = look.viewer else { return nil }
        self.init(device, selection, version)
        (position, limit) = (look.position, look.limit)
        self.found = found
    }

    /// The view's page after the number of the position.
    func page(after start: ChangeNumber, of rows: ViewTable, _ identity: LibraryIdentity) throws -> ChangePage {
        try rows.page(
            after: start,
            departures: position?.departures,
            identity,
            limit: limit,
            grantVersion: grantVersion
        )
    }

    func rows(_ database: any SQLSession) -> ViewTable {
        ViewTable(device: device, selection: selection, database: database)
    }
}
