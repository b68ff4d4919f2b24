import AgentStore
package import Authorization
import BoxIdentity
import Host
package import LibraryAPI
import LibraryClient
import Persistence
package import PhotoModel
package import SyncEngine

/// The library behind the sync engine's port: typed calls over HTTP, bytes from the queue's folder.
package struct LibraryGateway: SyncLibrary {
    let client: LibraryClient
    /// The queue, whose bytes are sent and which stores the tickets.
    let store: AgentStore
    let pool: BlockingPool
    /// Why the device wants access.
    let usage: UsageTexts
    /// The program and its version.
    let build: String
    let metered: MeteredLinks
    /// Whether a limited device asks for a larger selection unprompted.
    let reminder: ExpansionReminder
    /// How often to compare the view with the library's; nil for never.
    let comparisonInterval: Duration?
    let upkeep: IdentityUpkeep
    /// Logs contacts and refusals; nil for none.
    let journal: SyncJournal?
    /// Applies withdrawals; nil for a box that never uses a camera.
    let consents: ConsentReport?
    /// Loads the stored certificate before every contact; blocks.
    let refresh: @Sendable () throws -> Void

    /// Makes contact with a valid certificate; a revoked box erases itself if told to.
    package func contact() async throws(SyncFailure) -> ContactOutcome {
        // A renewal that fails now is retried at the next contact; this one shows whether that matters.
        try? await renewIfDue()
        try? await pool.run { [refresh] in try refresh() }
        do throws(SyncFailure) {
            return try await contactAndDrain()
        } catch {
            guard case .refused(let problem) = error, problem.code == .identityRevoked else { throw error }
            try await local { store in
                try Draining.noteRevocation(in: store)
                try store.dropView()
            }
            _ = try? await upkeep.wipeIfAsked()
            throw error
        }
    }

    private func renewIfDue() async throws {
        _ = try await upkeep.renewIfDue(now: pool.run { [store] in try LearnedClock.now(in: store) })
    }

    /// Makes contact; a box being retired repeats it until the library has its complete list.
    private func contactAndDrain() async throws(SyncFailure) -> ContactOutcome {
        var report = try await local { try Draining.report(of: $0) }
        var wantsAgain = false
        while true {
            let (contact, progress) = try await contact(reporting: report)
            wantsAgain = wantsAgain || contact.wantsAgain
            report = try await local { [report] in try Draining.next(after: progress, report, in: $0) }
            guard report == nil else { continue }
            var answer = contact
            answer.wantsAgain = wantsAgain
            return answer
        }
    }

    /// Makes contact, learns the server's clock, and stores the ticket for the next contact before it returns.
    private func contact(
        reporting report: DrainReport?
    ) async throws(SyncFailure) -> (ContactOutcome, DrainProgress?) {
        await consents?.renew()
        let (request, remembered) = try await local { store in
            let known = try store.fact(.authorization)
            let request = try ContactExchange.request(
                store,
                build: build,
                grantVersion: known?.grantVersion,
                drain: report
            )
            return (request, known.map(SyncAuthorization.init))
        }
        let sent = HostClock.monotonicNanoseconds()
        let answer: ContactResponse
        do {
            answer = try await remote { () throws(LibraryClientError) in try await client.contact(request) }
        } catch .refused(let problem) where problem.code == .notFound {
            // A library without this route returns the grant's version with the authorization.
            let grantVersion = try await authorization().grantVersion
            try await local { try $0.setFact(.identityHold, to: nil) }
            return (ContactOutcome(grantVersion: grantVersion), nil)
        } catch .refused(let problem) {
            if let reason = HoldReason(refusing: problem.code) {
                try await local { try ContactExchange.keep(reason, in: $0) }
            }
            throw .refused(problem)
        }
        let received = HostClock.monotonicNanoseconds()
        let again = try await local { store in
            try ContactExchange.keep(answer, in: store, monotonicNanoseconds: sent / 2 + received / 2)
        }
        if let withdrawals = answer.consentWithdrawals { await consents?.follow(withdrawals) }
        journal?.noteContact(isSuspect: answer.continuity == .suspect)
        journal?.noteOfferedAgain(again)
        if let remembered, remembered.readWrite == .limited { try await remindOfSelection(at: answer.time) }
        let contact = ContactOutcome(
            grantVersion: answer.grantVersion,
            interval: answer.intervalSeconds.map { .seconds(min(max($0, 5), 86_400)) },
            wantsAgain: again > 0,
            hasChanges: answer.hasChanges,
            isMetered: try await local { [metered] _ in metered.isInUse() },
            wantsComparison: try await local { [comparisonInterval] store in
                try comparisonInterval.map { try store.isComparisonDue(every: $0, now: answer.time) } ?? false
            },
            drain: answer.drain.map { $0.isEnded ? .ended : .underWay },
            remembered: remembered
        )
        return (contact, answer.drain)
    }

    /// The device's authorization.
    package func authorization() async throws(SyncFailure) -> SyncAuthorization {
        try await keep(try await remote { () throws(LibraryClientError) in try await client.authorization() })
    }

    /// Waits for the device's authorization to change.
    package func authorization(after version: UInt64, waitSeconds: Int) async throws(SyncFailure) -> SyncAuthorization {
        let answer = try await remote { () throws(LibraryClientError) in
            try await client.authorization(after: version, waitSeconds: min(waitSeconds, APILimits.changeWaitSeconds))
        }
        return try await keep(answer)
    }

    /// Requests a level.
    package func request(_ level: AccessLevel) async throws(SyncFailure) -> SyncAuthorization {
        guard let text = level == .addOnly ? usage.add : usage.readWrite else {
            throw .local("the setting library.\(level.rawValue == "addOnly" ? "add" : "readWrite").usage is missing")
        }
        let request = AuthorizationRequest(level: level.rawValue, usage: text)
        return try await keep(
            try await remote { () throws(LibraryClientError) in try await client.requestAuthorization(request) }
        )
    }

    /// Sends small assets together.
    package func batch(_ assets: [AssetID]) async throws(SyncFailure) -> [AssetID: Result<CommitResponse, SyncFailure>]
    {
        let (items, readers, damaged) = try await local { store in
            var items: [BatchItem] = []
            var readers: [AssetID: [ResourceReader]] = [:]
            var damaged: [AssetID: SyncFailure] = [:]
            // Entries that another session completed are not sent again: the machine looks up the ones without an
            // answer.
            for asset in try store.outgoing(assets) where asset.isOwed {
                do {
                    damaged[asset.id] = try store.shortfall(of: asset.resources, in: asset.id).map(SyncFailure.damaged)
                } catch {
                    damaged[asset.id] = SyncFailure(local: error)
                }
                guard damaged[asset.id] == nil else { continue }
                let parts = asset.resources.map { ResourceReader($0, of: asset.id, 0..<$0.byteCount, in: store) }
                readers[asset.id] = parts
                items.append(BatchItem(manifest: asset.manifest, sources: parts.map(\.source)))
            }
            return (items, readers, damaged)
        }
        var results: [AssetID: Result<CommitResponse, SyncFailure>] = damaged.mapValues { .failure($0) }
        guard !items.isEmpty else { return results }
        let answer: BatchResponse
        do throws(SyncFailure) {
            answer = try await remote { () throws(LibraryClientError) in try await client.batch(items) }
        } catch {
            // The one that ended the request; the others are sent without it.
            let unread = readers.compactMapValues { $0.compactMap(\.damage).first }
            guard !unread.isEmpty else { throw error }
            for (asset, reason) in unread { results[asset] = .failure(.unreadable(reason)) }
            return results
        }
        for result in answer.results {
            if let commit = result.commit {
                results[result.assetID] = .success(commit)
            } else if let problem = result.problem {
                results[result.assetID] = .failure(.refused(problem))
            }
        }
        return results
    }

    /// Sends an asset's manifest.
    package func describe(_ asset: AssetID) async throws(SyncFailure) -> AssetCreationResponse {
        let entry = try await entry(asset)
        if let reason = try await local({ try $0.shortfall(of: entry) }) { throw .damaged(reason) }
        return try await remote { () throws(LibraryClientError) in try await client.createAsset(entry.manifest) }
    }

    /// The state of an upload.
    package func position(of upload: UploadID) async throws(SyncFailure) -> (offset: Int64, isComplete: Bool) {
        let position = try await remote { () throws(LibraryClientError) in try await client.position(of: upload) }
        return (position.offset, position.isComplete)
    }

    /// Appends to an upload.
    ///
    /// A resource sent in one piece was hashed at capture. Of any other, each piece is read and hashed, then read again
    /// to send it.
    package func append(_ append: Append) async throws(SyncFailure) -> (offset: Int64, isComplete: Bool) {
        let entry = try await entry(append.assetID)
        guard let resource = entry.manifest.resources.first(where: { $0.id == append.resourceID }) else {
            throw .damaged("the asset has no resource \(append.resourceID)")
        }
        let range = append.offset..<append.offset + max(0, append.byteCount)
        let reader = ResourceReader(resource, of: entry.id, range, in: store)
        let part = reader.source
        let isWhole = append.offset == 0 && append.byteCount == resource.byteCount
        let digest = isWhole ? resource.digest : try await local { _ in try Self.digest(of: part) }
        do throws(SyncFailure) {
            let position = try await remote { () throws(LibraryClientError) in
                try await client.append(
                    to: append.uploadID,
                    at: append.offset,
                    part,
                    isLast: append.isLast,
                    digest: digest
                )
            }
            return (position.offset, position.isComplete)
        } catch {
            throw reader.damage.map(SyncFailure.unreadable) ?? error
        }
    }

    /// Makes an asset visible.
    package func commit(_ asset: AssetID) async throws(SyncFailure) -> CommitResponse {
        try await remote { () throws(LibraryClientError) in try await client.commit(asset) }
    }

    /// Sends local changes.
    package func push(_ push: ChangePush) async throws(SyncFailure) -> ChangePushResponse {
        try await remote { () throws(LibraryClientError) in try await client.push(push) }
    }

    /// Fetches the view's changes after a token.
    package func changes(since token: ChangeToken?, waitSeconds: Int) async throws(SyncFailure) -> ChangeFeedPage {
        try await remote { () throws(LibraryClientError) in
            try await client.changes(since: token, waitSeconds: min(waitSeconds, APILimits.changeWaitSeconds))
        }
    }

    /// Fetches the view as ranges with their hashes.
    package func ranges(_ bounds: ChangeRange.Bounds, count: Int) async throws(SyncFailure) -> [ChangeRange] {
        try await remote { () throws(LibraryClientError) in try await client.changeRanges(bounds, count: count) }
    }

    /// Fetches the view between two keys.
    package func entities(_ bounds: ChangeRange.Bounds) async throws(SyncFailure) -> [EntityChange] {
        try await remote { () throws(LibraryClientError) in try await client.entities(bounds) }
    }

    private func entry(_ asset: AssetID) async throws(SyncFailure) -> QueueEntry {
        guard let entry = try await local({ try $0.entry(asset) }) else {
            throw .damaged("the asset is no longer in the queue")
        }
        return entry
    }

    private func keep(_ answer: AuthorizationResponse) async throws(SyncFailure) -> SyncAuthorization {
        let known = SyncAuthorization(answer)
        try await local { store in
            try store.setFact(.authorization, to: answer)
            if !known.readWrite.grantsAccess { try store.dropView() }
            if known.readWrite == .authorized { try store.forgetDeferredAlbums() }
        }
        return known
    }

    /// Asks for a larger selection, if the device does so unprompted and it is time.
    private func remindOfSelection(at time: WallTime) async throws(SyncFailure) {
        guard !reminder.isPrevented, let reason = usage.readWrite else { return }
        let isDue = try await local { [reminder] store in
            let last = try store.fact(.expansionReminder)
            guard reminder.isDue(at: .limited, last: last, now: time) else { return false }
            // Stored before sending, so that a refusal does not repeat at every contact.
            try store.setFact(.expansionReminder, to: time)
            return true
        }
        guard isDue else { return }
        // Irrelevant for the sync: retried tomorrow.
        _ = try? await client.expandSelection(SelectionExpansion(reason: reason))
    }

    private static func digest(of source: BodySource) throws -> ContentDigest {
        try ContentHasher.digest(byteCount: source.byteCount) { try source.read($0, $1) }
    }

    private func local<Value: Sendable>(
        _ call: @escaping @Sendable (AgentStore) throws -> Value
    ) async throws(SyncFailure) -> Value {
        do {
            return try await pool.uncancelled { [store] in try call(store) }
        } catch {
            throw SyncFailure(local: error)
        }
    }

    private func remote<Value>(_ call: () async throws(LibraryClientError) -> Value) async throws(SyncFailure) -> Value
    {
        do {
            return try await call()
        } catch {
            let failure = SyncFailure(error)
            journal?.note(failure)
            throw failure
        }
    }
}

extension SyncAuthorization {
    /// Maps an answer to the sync engine's terms.
    init(_ answer: AuthorizationResponse) {
        self.init(
            readWrite: AuthorizationStatus(untrusted: answer.readWrite.rawValue),
            addOnly: AuthorizationStatus(untrusted: answer.addOnly.rawValue),
            pending: Set(answer.pending.compactMap { AccessLevel(rawValue: $0.level) }),
            grantVersion: answer.grantVersion
        )
    }
}

extension ResourceReader {
    /// Its bytes, as a request's body.
    fileprivate var source: BodySource {
        BodySource(byteCount: Int64(range.count)) { try self.read(at: $0, count: $1) }
    }
}

extension SyncFailure {
    /// Maps a failure of the box's own store to the sync engine's terms.
    fileprivate init(local error: any Error) {
        switch error {
        case let error as AgentStoreError where error.code == .damaged: self = .damaged(error.description)
        case let error as AgentStoreError where error.isDamage: self = .unreadable(error.description)
        default: self = .local("\(error)")
        }
    }

    /// Maps a failed call to the sync engine's terms.
    init(_ error: LibraryClientError) {
        switch error.code {
        case .refused:
            self = .refused(error.problem ?? ProblemDetails(.internalError, error.message))
        case .transport(.untrusted): self = .untrusted(error.message)
        case .transport(.localFailure): self = .local(error.message)
        case .transport, .malformedAnswer: self = .noAnswer(error.description)
        }
    }
}
