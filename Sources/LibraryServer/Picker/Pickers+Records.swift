import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

extension Pickers {
    /// The response to every call after the end.
    static let ended = ProblemDetails(.pickerEnded, "The session is over: open another.")

    /// The response to a caller who already has as many sessions as allowed.
    static let exhausted = ProblemDetails(
        .pickerExhausted,
        "At most \(APILimits.openPickersPerCaller) sessions may be open: end one.",
        retryAfterSeconds: 60
    )

    /// 128 random bits in hexadecimal.
    static func newSecret() -> String {
        let bits = UInt128.random(in: .min ... .max)
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The request of a caller with its limits settled.
    func checked(_ request: PickerRequest, for origin: Origin) throws -> PickerRequest {
        try Self.check(purpose: request.purpose)
        var request = request
        guard 0...APILimits.pickCount ~= request.selectionLimit ?? 1,
            request.preselected?.count ?? 0 <= request.maximumCount,
            request.strip?.count ?? 0 <= MetadataPart.allCases.count,
            request.requestID?.utf8.count ?? 0 <= Self.maximumRequestIDByteCount
        else {
            throw ProblemDetails(
                .malformedRequest,
                "A session is for 1 to \(APILimits.pickCount) assets, or 0 for as many as that; see /v1/openapi.yaml for "
                    + "the other limits."
            )
        }
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

    /// Only what is known can be kept from the person, and somebody has to be able to end the choice.
    private static func check(capabilities request: PickerRequest) throws {
        let disabled = request.disabledCapabilities ?? []
        guard disabled.count <= PickerCapability.allCases.count,
            disabled.allSatisfy({ PickerCapability(rawValue: $0) != nil })
        else {
            let names = PickerCapability.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProblemDetails(
                .malformedRequest,
                "The capabilities are \(names).",
                field: "disabledCapabilities"
            )
        }
        guard request.isContinuous ?? false || !disabled.contains(PickerCapability.selectionActions.rawValue) else {
            throw ProblemDetails(
                .malformedRequest,
                "Without selectionActions nobody could finish: set isContinuous, too.",
                field: "disabledCapabilities"
            )
        }
    }

    /// The answer to a caller that asks for originals without the right to read the library.
    static let originalDenied = ProblemDetails(
        .insufficientScope,
        "Originals before an edit need readWrite for the whole library: ask for current or compatible.",
        field: "encoding"
    )

    /// The answer to a person's call that the caller does not offer.
    static func disabled(_ capability: PickerCapability) -> ProblemDetails {
        ProblemDetails(.pickerCapabilityDisabled, "Whoever asked does not offer \(capability.rawValue) here.")
    }

    static func check(purpose: String) throws {
        guard let problem = UsageText.problem(in: purpose) else { return }
        throw ProblemDetails(
            .usageMissing,
            "The purpose \(problem.rawValue): say to the person what the choice is for.",
            field: "purpose"
        )
    }

    /// A caller's session whose items may be read; a cancelled one has none.
    func readable(_ id: PickerSessionID, by origin: Origin) async throws -> PickerDocument {
        let document = try await own(id, of: origin.actor)
        // Judged again: the right may be gone since the session was opened.
        guard document.servedEncoding != .original || origin.readsAll else { throw Self.originalDenied }
        switch document.state(at: now()) {
        case .done, .cancelled: return document
        case .open where document.request.isContinuous ?? false: return document
        case .open:
            throw ProblemDetails(
                .pickerNotDone,
                "The person is still choosing: ask again.",
                retryAfterSeconds: Self.pollSeconds
            )
        case .ended: throw Self.ended
        }
    }

    /// A session of a caller; anybody else's is not found.
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

    /// Changes a session in one transaction.
    func update(
        _ id: PickerSessionID,
        secret: ContentDigest? = nil,
        audit: AuditEntry.Content? = nil,
        _ body: @escaping @Sendable (inout PickerDocument) throws -> Void
    ) async throws -> PickerDocument {
        let kept = try await store.updateRecord(RecordID(rawValue: id.rawValue), of: .pickerSession, audit: audit) {
            guard var record = $0 else { throw Self.ended }
            var document = try PickerDocument(record)
            try body(&document)
            record.document = try document.text()
            if let secret { record.secondary = secret }
            return record
        }
        guard let kept else { throw Self.ended }
        return try PickerDocument(kept)
    }

    /// What the caller preselected, as far as it may: assets that it may read now, and those that a person gave it before.
    ///
    /// Looked up for the person alone. A caller without reading rights names items of its earlier sessions.
    func suggested(in document: PickerDocument) async throws -> [AssetID] {
        let wished = document.request.preselected ?? []
        guard !wished.isEmpty else { return [] }
        let view = try await readableView(of: document.owner)
        let key = PickerDocument.ownerKey(of: document.owner)
        let earlier = try await store.records(of: .pickerSession, ownedBy: key).map(PickerDocument.init)
            .filter { $0.id != document.id && $0.state == .done }
        var assets: [AssetID] = []
        for item in wished {
            if let given = earlier.lazy.compactMap({ $0.asset(ofItem: item) }).first {
                assets.append(given)
            } else if let view, try await store.asset(item, in: view) != nil {
                assets.append(item)
            }
        }
        var seen: Set<AssetID> = []
        return try await permitted(assets.filter { seen.insert($0).inserted }, in: document)
    }

    /// What a caller may read now; nil for nothing.
    private func readableView(of owner: Actor) async throws -> LibraryView? {
        guard case .device(let id) = owner else { return .everything }
        guard let record = try await store.device(id)?.record, record.state == .active else { return nil }
        switch record.access.readWrite {
        case .authorized: return .everything
        case .limited: return .selection(record.selection, id)
        case .notDetermined, .restricted, .denied: return nil
        }
    }

    /// Those of the assets that may be chosen, in their order.
    func permitted(_ assets: [AssetID], in document: PickerDocument) async throws -> [AssetID] {
        var permitted: [AssetID] = []
        for id in assets {
            guard let asset = try await store.asset(id, in: .everything), document.permits(asset) else { continue }
            permitted.append(id)
        }
        return permitted
    }

    /// Assets by their capture date, those that are gone left out.
    func ordered(_ assets: [AssetID]) async throws -> [AssetID] {
        var found: [Asset] = []
        for id in assets {
            if let asset = try await store.asset(id, in: .everything) { found.append(asset) }
        }
        return found.sorted { ($0.localCaptureDate, $0.id) < ($1.localCaptureDate, $1.id) }.map(\.id)
    }

    /// The codec of movies that every program plays, as workers name it.
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
        item.contentType = resource.contentType
        item.filename = resource.originalFilename
        item.byteCount = resource.byteCount
        if document.servedEncoding == .compatible, resource.needsConversion {
            item.contentType = "image/jpeg"
            item.filename = resource.originalFilename.flatMap { FileName($0.displayText.withExtension("jpg")) }
            item.byteCount = nil
        } else if document.servedEncoding == .compatible, resource.contentType.hasPrefix("video/") {
            // A movie whose codec is not known yet may have to be converted too.
            let codec = try await store.derivative(resource.digest)?.codec
            if codec != Self.compatibleCodec { item.byteCount = nil }
            if let codec, codec != Self.compatibleCodec {
                item.contentType = "video/quicktime"
                item.filename = resource.originalFilename.flatMap { FileName($0.displayText.withExtension("mov")) }
            }
        }
        return item
    }

    /// Whether the caller of a session may still pick; one that was revoked, or forbidden by policy, may not.
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
        var content = AuditEntry.Content(event, by: actor.description)
        if case .device(let device) = document.owner { content.device = device.description }
        content.fingerprint = context.fingerprint
        content.requestID = context.requestID
        content.address = context.address
        content.new = "session \(document.id)"
        content.reason = document.request.purpose
        return content
    }
}

extension Asset {
    /// What a caller gets of a chosen asset: as edited, unless the original was asked for; of a Live Photo also the movie.
    func pickedResource(encoding: PickerEncoding, isMovie: Bool) -> AssetResource? {
        let edited: [AssetResourceType] = isMovie ? [.fullSizePairedVideo] : [.fullSizePhoto, .fullSizeVideo]
        let wanted = encoding == .original ? [] : edited
        let rendered = wanted.lazy.compactMap { type in resources.first { $0.type == type } }.first
        return rendered ?? (isMovie ? resources.first { $0.type == .pairedVideo } : primaryResource)
    }
}

extension AssetResource {
    /// Whether few programs read the format, and a JPEG can be made of it.
    var needsConversion: Bool {
        contentType.hasPrefix("image/") && !["image/jpeg", "image/png", "image/gif"].contains(contentType)
    }
}
