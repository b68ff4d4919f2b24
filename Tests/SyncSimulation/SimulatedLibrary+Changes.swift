import LibraryAPI
import PhotoModel
import Replication

// Replicas: who they are, what they change, and what they are told.

extension SimulatedLibrary {
    /// What is kept of a replica, as `docs/protocol.md` has it.
    struct ReplicaRow {
        var record: IncarnationRecord
        var standing = ReplicaStanding.good
        var ticket: UInt64
        var earlierTicket: UInt64?
        /// A library that was restored cannot know the last ticket.
        var acceptsAnyTicket = false

        func accepts(_ presented: UInt64?) -> Bool {
            acceptsAnyTicket || presented == ticket || (presented != nil && presented == earlierTicket)
        }

        mutating func judge(_ contact: Contact, _ presented: UInt64?) -> ContactVerdict {
            standing.judge(contact, against: record, hasTicket: accepts(presented))
        }

        mutating func advance(after presented: UInt64?, to fresh: UInt64) {
            if presented == ticket || acceptsAnyTicket { earlierTicket = presented }
            ticket = fresh
            acceptsAnyTicket = false
        }

        /// The record with a longer history.
        mutating func extend(_ history: HistoryChain) {
            record = IncarnationRecord(
                device: record.device,
                incarnation: record.incarnation,
                history: history,
                hostFingerprint: record.hostFingerprint
            )
        }
    }

    /// What was told, and the version of the state after it.
    struct FeedEntry {
        let item: SimulatedPage.Item
        let version: UInt64
    }

    // MARK: Contact

    mutating func contact(
        _ contact: Contact,
        _ presented: UInt64?,
        _ place: BoxRecord.Place,
        _ call: Call,
        _ truth: inout SimulatedTruth
    ) -> SimulatedResponse {
        lastContact += 1
        let isCurrent = place.epoch == epoch && place.version == standing(call.device).grantVersion
        var verdict = rows[contact.incarnation]?.judge(contact, presented) ?? .unknown
        if call.bug == .trustsEveryCopy, rows[contact.incarnation] != nil {
            verdict = .continues(acknowledged: 0, isHostChanged: false)
        }
        var ticket: UInt64?
        if verdict.remedy == .proceed {
            lastTicket += 1
            ticket = lastTicket
            welcome(contact, presented, lastTicket)
            truth.meet(contact, lastContact)
            if isCurrent, let position = place.position {
                frontier.acknowledge(version(at: position), by: contact.incarnation)
            }
        } else if verdict.remedy == .becomeSuspect {
            judge(call.device, .identitySuspect)
        }
        return .contact(
            SimulatedContactResponse(
                serial: lastContact,
                verdict: verdict,
                acknowledged: rows[contact.incarnation]?.record.history.counter ?? 0,
                ticket: ticket,
                grantVersion: standing(call.device).grantVersion,
                epoch: epoch,
                watermark: watermark,
                hasChanges: !isCurrent || place.position.map { $0 < feed.count } ?? true
            )
        )
    }

    private mutating func welcome(_ contact: Contact, _ presented: UInt64?, _ fresh: UInt64) {
        guard var row = rows[contact.incarnation] else {
            // Those that it takes the place of are void.
            for (incarnation, row) in rows where row.record.device == contact.device && row.standing.isReplaceable {
                rows[incarnation]?.standing = .retired
                frontier.retire(incarnation)
            }
            let record = IncarnationRecord(first: contact, hash: .simulated)
            rows[contact.incarnation] = ReplicaRow(record: record, ticket: fresh)
            return
        }
        row.record.open(contact)
        row.record.close()
        row.advance(after: presented, to: fresh)
        rows[contact.incarnation] = row
    }

    /// An administrator lets a device go on: whichever of its copies calls first.
    mutating func chooseReplicas(of device: DeviceID) {
        for (incarnation, row) in rows where row.record.device == device.rawValue {
            rows[incarnation]?.standing = .chosen
        }
    }

    // MARK: Changes

    /// Takes a replica's changes in the order of their counters; those that it has are passed over.
    mutating func push(
        _ incarnation: ReplicaID,
        _ prior: HistoryChain,
        _ changes: [Change],
        _ call: Call,
        _ truth: inout SimulatedTruth
    ) -> SimulatedResponse {
        if let problem = viewRefusal(of: call.device) { return .refused(problem) }
        guard var row = rows[incarnation] else { return .refused(ProblemDetails(.preconditionFailed, "")) }
        let comparesHistories = call.bug != .trustsEveryCopy && call.bug != .admitsTwice
        if comparesHistories, !row.record.isContinued(by: changes, after: prior, hash: .simulated) {
            if row.standing == .good { rows[incarnation]?.standing = .rolledBack }
            return .refused(ProblemDetails(.changesForked, ""))
        }
        if truth.rights[call.device].map({ !$0.mayView }) ?? false {
            truth.blame(12, "an edit took effect that its device was not allowed to make")
        }
        for change in changes {
            let isNews = change.dot.counter > row.record.history.counter
            if isNews {
                var history = row.record.history
                do {
                    let milliseconds = SimulatedSurroundings.beginning + UInt64(call.now / .milliseconds(1))
                    try HybridLogicalClock.admit(change.stamp, serverMilliseconds: milliseconds)
                    try history.append(change, hash: .simulated)
                } catch {
                    // What was taken before stays taken; the first one that is refused stops the rest.
                    guard row.record.history.counter == 0 else { break }
                    let isGap = if case .counterGap = error.code { true } else { false }
                    return .refused(ProblemDetails(isGap ? .changeGap : .clockAhead, ""))
                }
                row.extend(history)
                truth.admit(change)
            } else {
                truth.passOver(change)
            }
            if isNews || call.bug == .admitsTwice { take(change, call) }
        }
        rows[incarnation] = row
        return .pushed(acknowledged: row.record.history.counter)
    }

    private mutating func take(_ change: Change, _ call: Call) {
        let shown = replica.entityView(change.entity)?.register(change.field)?.current.stamp
        if call.bug == .dropsOlderStamps, let shown, change.stamp < shown { return }
        replica.apply(change)
        feed.append(FeedEntry(item: .change(change), version: replica.version))
    }

    private func version(at position: Int) -> UInt64 { position == 0 ? 0 : feed[min(position, feed.count) - 1].version }

    /// What comes after a place in the feed; the whole view for who has none.
    func page(_ place: BoxRecord.Place, _ call: Call, _ truth: inout SimulatedTruth) -> SimulatedResponse {
        if let problem = viewRefusal(of: call.device) { return .refused(problem) }
        if truth.rights[call.device].map({ !$0.mayView }) ?? false {
            truth.blame(12, "a device was shown what it may not see")
        }
        var end = BoxRecord.Place(epoch: epoch, version: standing(call.device).grantVersion, position: feed.count)
        guard let position = place.position else {
            return .page(SimulatedPage(start: place, end: end, whole: replica, hasMore: false))
        }
        guard place.epoch == end.epoch, place.version == end.version, version(at: position) >= forgottenVersion else {
            return .refused(ProblemDetails(.tokenExpired, ""))
        }
        let items = feed[position...].prefix(5)
        end.position = position + items.count
        return .page(
            SimulatedPage(start: place, end: end, items: items.map(\.item), hasMore: end.position != feed.count)
        )
    }

    /// Memberships that were forgotten since the feed began.
    var forgottenMemberships: Set<EntityID> {
        feed.reduce(into: []) { known, entry in
            if case .forget(let entities) = entry.item { known.formUnion(entities.filter { $0.kind == .membership }) }
        }
    }

    /// Forgets removals of which every replica has heard.
    mutating func collectRemovals() {
        let stable = frontier.stableThrough
        let gone = replica.collectTombstones(frontier)
        guard !gone.isEmpty else { return }
        forgottenVersion = max(forgottenVersion, stable)
        feed.append(FeedEntry(item: .forget(gone), version: replica.version))
    }
}
