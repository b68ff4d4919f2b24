import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Synchronization

/// Picker sessions: a caller asks, a person chooses, the caller gets exactly that, and only for the session's lifetime.
///
/// Only its caller can find a session; to others it does not exist. The person's calls need an operator's credential
/// and the secret from the session's address.
struct Pickers: Sendable {
    /// Seconds between a caller's requests.
    static let pollSeconds = 2
    /// The longest `requestID`, in bytes.
    static let maximumRequestIDByteCount = 128

    let store: any DeviceStore & MediaJobStore & ReadingStore & RecordStore
    let active: ActiveRequests
    let now: @Sendable () -> WallTime

    /// The caller, for the record.
    struct Origin: Sendable {
        let actor: Actor
        let context: AuditContext
        /// Whether the caller may read the whole library, so that the library's identifiers reveal nothing new.
        var readsAll = false
    }

    // MARK: For the caller

    /// Opens a session; repeating a `requestID` with the same request returns the same one until it ends.
    ///
    /// - Throws: `request.malformed`, `usage.missing`, `authorization.scope`, `picker.exhausted`, `picker.conflict`.
    func open(_ request: PickerRequest, for origin: Origin) async throws -> PickerSession {
        let request = try checked(request, for: origin)
        let time = now()
        let secret = RandomSecret.text()
        let fresh = try newSession(request, secret: secret, for: origin, at: time)
        let opened = Mutex(fresh.document)
        try await store.updateRecords(of: .pickerSession, ownedBy: PickerDocument.ownerKey(of: origin.actor)) { own in
            var changes = RecordChanges()
            let sessions = try own.map { (record: $0, document: try PickerDocument($0)) }
            let living = sessions.filter { $0.document.state(at: time) != .ended }
            if let id = request.requestID, var known = living.first(where: { $0.document.request.requestID == id }) {
                guard known.document.firstRequest ?? known.document.request == request else { throw Self.repeated }
                opened.withLock { $0 = known.document }
                guard known.document.state(at: time) == .open else { return changes }
                known.record.secondary = PickerDocument.digest(ofSecret: secret)
                changes.written = [known.record]
                return changes
            }
            let over = sessions.filter { ![.open, .done].contains($0.document.state(at: time)) }
            guard sessions.count - over.count < APILimits.openPickersPerCaller else { throw Self.exhausted }
            changes.removed = over.dropLast(APILimits.endedPickersPerCaller).map(\.record.id)
            changes.written = [fresh.record]
            changes.audit = Self.audit(.pickerCreate, fresh.document, by: origin.actor, origin.context)
            return changes
        }
        let document = opened.withLock(\.self)
        let isOpen = document.state(at: time) == .open
        return document.session(at: time, secret: isOpen ? secret : nil, pollSeconds: Self.pollSeconds)
    }

    private func newSession(
        _ request: PickerRequest,
        secret: String,
        for origin: Origin,
        at time: WallTime
    ) throws -> (document: PickerDocument, record: StoredRecord) {
        let id = PickerSessionID.version7(at: time)
        let digest = PickerDocument.digest(ofSecret: secret)
        var document = PickerDocument(
            id: id,
            owner: origin.actor,
            request: request,
            code: VerificationCode(digest: ContentHasher.digest(id.bytes + digest.bytes)).description,
            created: time,
            expires: time.advanced(by: .seconds(APILimits.pickSeconds))
        )
        document.tagKey = Base64Bytes(RandomSecret.bytes())
        if !origin.readsAll { document.itemKey = Base64Bytes(RandomSecret.bytes()) }
        let record = StoredRecord(
            id: RecordID(rawValue: id.rawValue),
            secondary: digest,
            owner: PickerDocument.ownerKey(of: origin.actor),
            expires: time.advanced(by: .seconds(APILimits.pickerSessionSeconds)),
            document: try document.text()
        )
        return (document, record)
    }

    /// The status of one of the caller's sessions.
    ///
    /// - Throws: `object.not_found`.
    func session(_ id: PickerSessionID, of actor: Actor) async throws -> PickerSession {
        try await own(id, of: actor).session(at: now(), pollSeconds: Self.pollSeconds)
    }

    /// Changes an open session of the caller.
    ///
    /// - Throws: `object.not_found`, `picker.ended`, `usage.missing`, `request.malformed`.
    func edit(_ id: PickerSessionID, _ edit: PickerEdit, by origin: Origin) async throws -> PickerSession {
        let known = try await own(id, of: origin.actor)
        guard known.state(at: now()) == .open else { throw Self.ended }
        if let purpose = edit.purpose { try Self.check(purpose: purpose) }
        let moves = edit.moved ?? []
        guard moves.count <= APILimits.pickCount, edit.deselected?.count ?? 0 <= APILimits.pickCount else {
            throw ProblemDetails(.tooLarge, "At most \(APILimits.pickCount) items can be changed at once.")
        }
        guard moves.isEmpty || known.request.isOrdered ?? false else {
            throw ProblemDetails(.malformedRequest, "Items can be moved only in an ordered session.", field: "moved")
        }
        let time = now()
        let document = try await update(id) { document in
            guard document.state(at: time) == .open else { throw Self.ended }
            if document.request.requestID != nil { document.firstRequest = document.firstRequest ?? document.request }
            if let purpose = edit.purpose { document.change(purpose: purpose) }
            document.rearrange(deselecting: Set(edit.deselected ?? []), moving: moves, by: origin)
        }
        return document.session(at: time, pollSeconds: Self.pollSeconds)
    }

    /// Ends one of the caller's sessions, or anybody's for an operator who names no caller, and the downloads of its items.
    ///
    /// - Throws: `object.not_found`.
    func end(_ id: PickerSessionID, of actor: Actor?, by origin: Origin) async throws {
        guard let document = try await document(id), actor == nil || document.owner == actor else {
            throw ProblemDetails.notFound
        }
        guard document.state(at: now()) != .ended else { return }
        let audit = Self.audit(.pickerEnd, document, by: origin.actor, origin.context)
        _ = try await update(id, closing: [.pickerSession(id)], audit: audit) { $0.end() }
    }

    /// Ends every session of a device that may no longer pick.
    func endAll(of device: DeviceID, by origin: Origin) async throws {
        let time = now()
        let key = PickerDocument.ownerKey(of: .device(device))
        for document in try await store.records(of: .pickerSession, ownedBy: key).map(PickerDocument.init) {
            guard document.state(at: time) != .ended else { continue }
            try await end(document.id, of: nil, by: origin)
        }
    }

    /// One page of picked items.
    ///
    /// - Throws: `object.not_found`, `picker.not_done`, `picker.ended`, `authorization.scope`.
    func items(_ id: PickerSessionID, by origin: Origin, after last: AssetID?) async throws -> PickedItemPage {
        let document = try await readable(id, by: origin)
        var rest = document.picked[...]
        if let last {
            guard let asset = document.asset(ofItem: last), let place = rest.firstIndex(of: asset) else {
                throw ProblemDetails(.cursorInvalid, "The list cannot continue there: start over.", field: "after")
            }
            rest = rest[(place + 1)...]
        }
        let shown = rest.prefix(APILimits.pickedPageCount)
        var items: [PickedItem] = []
        for id in shown { items.append(try await item(id, in: document)) }
        return PickedItemPage(items: items, next: rest.count > shown.count ? shown.last.map(document.item) : nil)
    }

    /// A chosen asset with its session's form of the bytes.
    ///
    /// - Throws: `object.not_found` if not chosen, `picker.ended` if deleted or hidden since.
    func picked(
        _ item: AssetID,
        in id: PickerSessionID,
        by origin: Origin
    ) async throws -> (asset: Asset, document: PickerDocument) {
        let document = try await readable(id, by: origin)
        let id = try document.asset(ofItem: item).orNotFound()
        guard let asset = try await store.asset(id, in: .everything), document.permits(asset) else {
            throw ProblemDetails(.pickerEnded, "The item has since been deleted or hidden: ask the person again.")
        }
        if !document.isFetched {
            let audit = Self.audit(.pickerFetch, document, by: origin.actor, origin.context)
            _ = try await update(document.id, audit: audit) { $0.isFetched = true }
        }
        return (asset, document)
    }

    // MARK: For the person who chooses

    /// An open session.
    ///
    /// - Throws: `object.not_found` without the session's secret, `picker.ended` once it is over.
    func pick(_ id: PickerSessionID, secret: String?) async throws -> PickerDocument {
        guard let secret, let record = try await store.record(RecordID(rawValue: id.rawValue), of: .pickerSession),
            record.secondary == PickerDocument.digest(ofSecret: secret)
        else { throw ProblemDetails.notFound }
        let document = try PickerDocument(record)
        guard document.state(at: now()) == .open, try await mayStillPick(document.owner) else { throw Self.ended }
        return document
    }

    /// A session as its person sees it: the caller's preselection shows as chosen until the person acts.
    func shown(_ document: PickerDocument) async throws -> PickDocument {
        let isUntouched = !(document.hasActed ?? false)
        return document.summary(at: now(), suggesting: isUntouched ? try await suggested(in: document) : [])
    }

    /// Restricts a list to assets that may be chosen in a session.
    ///
    /// - Throws: `picker.capability_disabled` for words and albums if they are not offered.
    func choosable(_ options: FetchOptions, in document: PickerDocument) throws -> FetchOptions {
        guard !options.includesHidden, !options.showsTrash else {
            throw ProblemDetails(.malformedRequest, "Hidden and trashed assets cannot be chosen.")
        }
        if let filter = options.filter {
            guard document.offers(.search) || !filter.uses(.text) else { throw Self.disabled(.search) }
            guard document.offers(.collectionNavigation) || !filter.uses(.album) else {
                throw Self.disabled(.collectionNavigation)
            }
        }
        var options = options
        let filters = [document.request.filter, options.filter].compactMap(\.self)
        options.filter = filters.count > 1 ? .all(filters) : filters.first
        return options
    }

    /// Replaces the choice; assets of the previous one that others trashed, hid or changed since are left out.
    ///
    /// - Throws: `request.malformed` beyond the session's limit or for new assets that may not be chosen;
    ///   `picker.changed` if the caller has changed the choice meanwhile.
    func choose(_ choice: PickChoice, in document: PickerDocument) async throws -> PickerDocument {
        let limit = document.request.maximumCount
        guard choice.assets.count <= limit else {
            throw ProblemDetails(.malformedRequest, "At most \(limit) may be chosen.", field: "assets")
        }
        guard Set(choice.assets).count == choice.assets.count else {
            throw ProblemDetails(.malformedRequest, "Name each asset once.", field: "assets")
        }
        let permitted = try await permitted(choice.assets, in: document)
        if permitted != choice.assets {
            // Refused for what was chosen before, the person could not finish.
            let known = document.hasActed ?? false ? document.picked : try await preselected(in: document)
            guard Set(choice.assets).subtracting(permitted).isSubset(of: known) else {
                throw ProblemDetails(
                    .malformedRequest,
                    "Some of these photos cannot be chosen: they do not match the request, or were changed or deleted since.",
                    field: "assets"
                )
            }
        }
        guard choice.encoding != .original || document.request.encoding == .original else {
            throw ProblemDetails(
                .malformedRequest,
                "The session did not request originals: choose another encoding.",
                field: "encoding"
            )
        }
        let time = now()
        return try await update(document.id) { document in
            guard document.state(at: time) == .open else { throw Self.ended }
            guard choice.revision ?? document.revision ?? 0 == document.revision ?? 0 else {
                throw Self.changed
            }
            document.isForAnotherPurpose = nil
            document.choose(permitted)
            document.hasActed = true
            // The person may strip more than requested, never less.
            if let strip = choice.strip {
                document.stripsBesides = MetadataPart.allCases.filter(strip.contains)
            }
            document.encoding = choice.encoding ?? document.encoding
        }
    }

    /// Ends the choice: the person is done, or cancelled, which also ends the downloads of what was chosen before.
    ///
    /// - Throws: `picker.capability_disabled` if only the caller ends the choice, `picker.changed` if the photos were chosen
    ///   for another purpose, `picker.ended`.
    func finish(_ document: PickerDocument, isDone: Bool, by origin: Origin) async throws -> PickerDocument {
        guard document.offers(.selectionActions) else { throw Self.disabled(.selectionActions) }
        let time = now()
        let latest = document.created.advanced(by: .seconds(APILimits.pickerSessionSeconds))
        var document = document
        while true {
            let before = document
            var picked = before.hasActed ?? false ? before.picked : try await suggested(in: before)
            if !(before.request.isOrdered ?? false) { picked = try await ordered(picked) }
            let order = isDone ? picked : []
            var audit = Self.audit(.pickerPick, before, by: origin.actor, origin.context)
            audit.new = isDone ? "\(order.count) chosen" : "cancelled"
            do {
                let parties: [Party] = isDone ? [] : [.pickerSession(before.id)]
                return try await update(before.id, closing: parties, audit: audit) { document in
                    guard document.state(at: time) == .open else { throw Self.ended }
                    // The choice changed meanwhile: deliver the current one.
                    guard document.picked == before.picked, document.hasActed == before.hasActed,
                        document.request.preselected == before.request.preselected
                    else { throw ChangedMeanwhile() }
                    guard !isDone || document.isForAnotherPurpose != true else { throw Self.changed }
                    document.state = isDone ? .done : .cancelled
                    document.hasActed = true
                    document.choose(order)
                    document.expires = min(time.advanced(by: .seconds(APILimits.pickFetchSeconds)), latest)
                }
            } catch is ChangedMeanwhile {
                guard let current = try await self.document(before.id) else { throw Self.ended }
                document = current
            }
        }
    }

    private struct ChangedMeanwhile: Error {}

    // MARK: For operators

    /// All stored sessions, oldest first.
    func all() async throws -> PickDocumentPage {
        let time = now()
        return PickDocumentPage(sessions: try await documents().map { $0.summary(at: time) })
    }
}

extension AssetFilter {
    /// Features of the filter that a picker's caller can withhold from the person.
    enum Closable {
        case text
        case album
    }

    /// Whether the filter tree contains words, or albums.
    func uses(_ closable: Closable) -> Bool {
        switch (self, closable) {
        case (.text, .text), (.album, .album): true
        default: children.contains { $0.uses(closable) }
        }
    }
}
