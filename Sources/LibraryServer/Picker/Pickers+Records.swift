import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

extension Pickers {
    /// The response to every call after the session's end.
    static let ended = ProblemDetails(.pickerEnded, "The session has ended: open another.")

    /// The response to a caller who already has as many sessions as allowed.
    static let exhausted = ProblemDetails(
        .pickerExhausted,
        "At most \(APILimits.openPickersPerCaller) sessions may be open: end one.",
        retryAfterSeconds: 60
    )

    /// The response to another request under the identifier of an earlier one.
    static let repeated = ProblemDetails(
        .pickerConflict,
        "A session that has not ended was opened by another request with this requestID.",
        field: "requestID"
    )

    /// A caller's request with its limits resolved.
    func checked(_ request: PickerRequest, for origin: Origin) throws -> PickerRequest {
        try Self.check(purpose: request.purpose)
        var request = request
        try Self.check(counts: request)
        do {
            try request.filter?.validate()
        } catch {
            throw ProblemDetails(.malformedRequest, "\(error).", field: "filter")
        }
        guard request.encoding != .original || origin.readsAll else { throw Self.originalDenied }
        try Self.check(capabilities: request)
        request.selectionLimit = request.selectionLimit ?? 1
        return request
    }

    /// Checks what has a number or a length.
    private static func check(counts request: PickerRequest) throws {
        guard 0...APILimits.pickCount ~= request.selectionLimit ?? 1 else {
            throw ProblemDetails(
                .malformedRequest,
                "The limit is 1 to \(APILimits.pickCount), or 0 for the maximum.",
                field: "selectionLimit"
            )
        }
        let limit = request.maximumCount
        guard request.preselected?.count ?? 0 <= limit else {
            throw ProblemDetails(.malformedRequest, "At most \(limit) may be preselected.", field: "preselected")
        }
        guard request.strip?.count ?? 0 <= MetadataPart.allCases.count else {
            let names = MetadataPart.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProblemDetails(.malformedRequest, "Name each part once: there are \(names).", field: "strip")
        }
        guard request.requestID?.utf8.count ?? 0 <= maximumRequestIDByteCount else {
            throw ProblemDetails(
                .malformedRequest,
                "At most \(maximumRequestIDByteCount) bytes are allowed.",
                field: "requestID"
            )
        }
    }

    /// Checks that only known capabilities are disabled, and that the person or the caller can end the choice.
    private static func check(capabilities request: PickerRequest) throws {
        let disabled = request.disabledCapabilities ?? []
        guard disabled.count <= PickerCapability.allCases.count,
            disabled.allSatisfy({ PickerCapability(rawValue: $0) != nil })
        else {
            let names = PickerCapability.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProblemDetails(.malformedRequest, "The capabilities are \(names).", field: "disabledCapabilities")
        }
        guard request.isContinuous ?? false || !disabled.contains(PickerCapability.selectionActions.rawValue) else {
            throw ProblemDetails(
                .malformedRequest,
                "Without selectionActions the person cannot finish: also set isContinuous.",
                field: "disabledCapabilities"
            )
        }
    }

    /// The response to a caller that requests originals without the right to read the library.
    static let originalDenied = ProblemDetails(
        .insufficientScope,
        "Unedited originals require readWrite for the whole library: request current or compatible.",
        field: "encoding"
    )

    /// The response to a person whose page shows an earlier choice or purpose.
    static let changed = ProblemDetails(
        .pickerChanged,
        "The requester has changed the choice or its purpose: look at it again."
    )

    /// The response to a person's call for a disabled capability.
    static func disabled(_ capability: PickerCapability) -> ProblemDetails {
        ProblemDetails(.pickerCapabilityDisabled, "This session does not offer \(capability.rawValue).")
    }

    static func check(purpose: String) throws {
        guard let problem = UsageText.problem(in: purpose) else { return }
        throw ProblemDetails(
            .usageMissing,
            "The purpose \(problem.rawValue): tell the person what the choice is for.",
            field: "purpose"
        )
    }

    /// A caller's session whose items may be read; a cancelled one has none.
    func readable(_ id: PickerSessionID, by origin: Origin) async throws -> PickerDocument {
        let document = try await own(id, of: origin.actor).known(by: origin)
        // Check again: the caller may have lost the right since the session was opened.
        guard document.servedEncoding != .original || origin.readsAll else { throw Self.originalDenied }
        switch document.state(at: now()) {
        case .done, .cancelled: return document
        case .open where document.request.isContinuous ?? false: return document
        case .open:
            throw ProblemDetails(
                .pickerNotDone,
                "The person is still choosing: try again.",
                retryAfterSeconds: Self.pollSeconds
            )
        case .ended: throw Self.ended
        }
    }

    /// A session of a caller, with the library's identifiers; anybody else's is not found.
    func own(_ id: PickerSessionID, of actor: Actor) async throws -> PickerDocument {
        guard let document = try await document(id), document.owner == actor else { throw ProblemDetails.notFound }
        return document
    }

    func document(_ id: PickerSessionID) async throws -> PickerDocument? {
        try await store.record(RecordID(rawValue: id.rawValue), of: .pickerSession).map(PickerDocument.init)
    }

    func documents() async throws -> [PickerDocument] {
        try await store.records(of: .pickerSession).map(PickerDocument.init)
    }

    /// Changes a session in one transaction, and ends the requests of these parties with it, on every server.
    func update(
        _ id: PickerSessionID,
        closing parties: [Party] = [],
        audit: AuditEntry.Content? = nil,
        _ body: @escaping @Sendable (inout PickerDocument) throws -> Void
    ) async throws -> PickerDocument {
        let kept = try await store.updateRecord(
            RecordID(rawValue: id.rawValue),
            of: .pickerSession,
            closing: parties,
            audit: audit
        ) {
            guard var record = $0 else { throw Self.ended }
            var document = try PickerDocument(record)
            try body(&document)
            record.document = try document.text()
            return record
        }
        guard let kept else { throw Self.ended }
        for party in parties { active.close(party) }
        return try PickerDocument(kept)
    }

    /// The preselected assets that may be chosen.
    func suggested(in document: PickerDocument) async throws -> [AssetID] {
        try await permitted(preselected(in: document), in: document)
    }

    /// The caller's preselected assets that it may read now, or that a person handed over to it earlier.
    ///
    /// Looked up only on the person's calls. A caller without reading rights names items of its earlier sessions.
    func preselected(in document: PickerDocument) async throws -> [AssetID] {
        let wished = document.request.preselected ?? []
        guard !wished.isEmpty else { return [] }
        let view = try await readableView(of: document.owner)
        let key = PickerDocument.ownerKey(of: document.owner)
        let earlier = try await store.records(of: .pickerSession, ownedBy: key).map(PickerDocument.init)
            .filter { $0.id != document.id && $0.isHandedOver }
        var given: [AssetID: AssetID] = [:]
        for session in earlier {
            given.merge(session.pickedByItem) { first, _ in first }
            if session.itemKey == nil { given.merge(session.withOwnIdentifiers.pickedByItem) { first, _ in first } }
        }
        var assets: [AssetID] = []
        for item in wished {
            if let asset = given[item] {
                assets.append(asset)
            } else if let view, try await store.asset(item, in: view) != nil {
                assets.append(item)
            }
        }
        var seen: Set<AssetID> = []
        return assets.filter { seen.insert($0).inserted }
    }

    /// The part of the library that a caller may read now; nil for nothing.
    private func readableView(of owner: Actor) async throws -> LibraryView? {
        guard case .device(let id) = owner else { return .everything }
        guard let record = try await store.device(id)?.record, record.state == .active else { return nil }
        switch record.access.readWrite {
        case .authorized: return .everything
        case .limited: return .selection(record.selection, id)
        case .notDetermined, .restricted, .denied: return nil
        }
    }

    /// The assets that may be chosen, in the given order.
    func permitted(_ assets: [AssetID], in document: PickerDocument) async throws -> [AssetID] {
        var permitted: [AssetID] = []
        for id in assets {
            guard let asset = try await store.asset(id, in: .everything), document.permits(asset) else { continue }
            permitted.append(id)
        }
        return permitted
    }

    /// The assets that still exist, by capture date.
    func ordered(_ assets: [AssetID]) async throws -> [AssetID] {
        var found: [Asset] = []
        for id in assets {
            if let asset = try await store.asset(id, in: .everything) { found.append(asset) }
        }
        return found.sorted { ($0.localCaptureDate, $0.id) < ($1.localCaptureDate, $1.id) }.map(\.id)
    }

    /// The workers' name for the movie codec that every program plays.
    private static let compatibleCodec = "h264"

    /// A chosen asset as its caller sees it.
    func item(_ id: AssetID, in document: PickerDocument) async throws -> PickedItem {
        var item = PickedItem(id: document.item(id))
        guard let asset = try await store.asset(id, in: .everything), document.permits(asset),
            let resource = asset.pickedResource(encoding: document.servedEncoding, isMovie: false)
        else { return item }
        item.isAvailable = true
        item.mediaType = asset.mediaType
        item.mediaSubtypes = asset.mediaSubtypes
        if asset.pickedResource(encoding: document.servedEncoding, isMovie: true) == nil {
            item.mediaSubtypes?.remove(.photoLive)
        }
        item.contentType = resource.contentType
        item.filename = resource.originalFilename
        // The original's length would reveal something of what is stripped.
        item.byteCount = document.strip.isEmpty ? resource.byteCount : nil
        if document.servedEncoding == .compatible, resource.needsConversion {
            item.contentType = "image/jpeg"
            item.filename = resource.originalFilename.flatMap { FileName($0.displayText.withExtension("jpg")) }
            item.byteCount = nil
        } else if document.servedEncoding == .compatible, resource.contentType.hasPrefix("video/") {
            // A movie whose codec is not known yet may need conversion too.
            let codec = try await store.derivative(resource.digest)?.codec
            if codec != Self.compatibleCodec { item.byteCount = nil }
            if let codec, codec != Self.compatibleCodec {
                item.contentType = "video/quicktime"
                item.filename = resource.originalFilename.flatMap { FileName($0.displayText.withExtension("mov")) }
            }
        }
        return item
    }

    /// Whether a session's caller may still pick: false once it is revoked, or policy forbids it.
    func mayStillPick(_ owner: Actor) async throws -> Bool {
        guard case .device(let id) = owner else { return true }
        guard let record = try await store.device(id)?.record else { return false }
        switch record.state {
        case .revoked, .suspect: return false
        case .pending, .active, .draining: return record.access.mayPick
        }
    }

    static func audit(
        _ event: AuditEvent,
        _ document: PickerDocument,
        by actor: Actor,
        _ context: AuditContext
    ) -> AuditEntry.Content {
        var content = AuditEntry.Content(event, by: actor.description, context)
        if case .device(let device) = document.owner { content.device = device.description }
        content.new = "session \(document.id)"
        content.reason = document.request.purpose
        return content
    }
}

extension PickerDocument {
    /// The session with the identifiers that its caller may know now.
    func known(by origin: Pickers.Origin) -> PickerDocument { origin.readsAll ? self : withOwnIdentifiers }
}

extension Asset {
    /// The resource to deliver for a chosen asset: the edited one, unless the original was requested; for a Live Photo
    /// also the movie.
    ///
    /// The movie of an edited Live Photo is delivered only as edited, since the original shows what the edit may hide.
    func pickedResource(encoding: PickerEncoding, isMovie: Bool) -> AssetResource? {
        func first(_ types: AssetResourceType...) -> AssetResource? {
            types.lazy.compactMap { type in resources.first { $0.type == type } }.first
        }
        let edited = encoding == .original ? nil : first(.fullSizePhoto, .fullSizeVideo)
        guard isMovie else { return edited ?? primaryResource }
        let editedMovie = encoding == .original ? nil : first(.fullSizePairedVideo)
        return editedMovie ?? (edited == nil ? first(.pairedVideo) : nil)
    }
}

extension AssetResource {
    /// Whether few programs read the format, and it can be converted to JPEG.
    var needsConversion: Bool {
        contentType.hasPrefix("image/") && !["image/jpeg", "image/png", "image/gif"].contains(contentType)
    }
}
