import Authorization
import HTTPTypes
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Picker sessions, for their callers and for the choosing person.
struct PickerRoutes {
    /// Carries the secret of the session's address; never a query, which logs and referrers would repeat.
    static let secretField = "Tintype-Pick-Secret"

    let store: LibraryStore
    let pickers: Pickers
    let media: Derivatives
    let timelines: TimelineRoutes

    func register(in registry: inout RouteRegistry) throws {
        try registerSessions(in: &registry)
        try registerItems(in: &registry)
        try registerPicks(in: &registry)
    }

    private func registerSessions(in registry: inout RouteRegistry) throws {
        try registry.on(.createPicker) { [pickers] call, admitted in
            try .json(try await pickers.open(call.json(), for: call.pickerOrigin(admitted)), status: .created)
        }
        try registry.on(.picker) { [pickers] call, admitted in
            try .json(try await pickers.session(call.parameter("id"), of: call.pickerOrigin(admitted).actor))
        }
        try registry.on(.editPicker) { [pickers] call, admitted in
            let id: PickerSessionID = try call.parameter("id")
            return try .json(try await pickers.edit(id, call.json(), by: call.pickerOrigin(admitted)))
        }
        try registry.on(.endPicker) { [pickers] call, admitted in
            let origin = try call.pickerOrigin(admitted)
            try await pickers.end(call.parameter("id"), of: origin.actor, by: origin)
            return .noContent
        }
    }

    private func registerItems(in registry: inout RouteRegistry) throws {
        try registry.on(.pickedItems) { [pickers] call, admitted in
            let after = try call.query(as: PickedItemsQuery.self).after
            return try .json(
                try await pickers.items(call.parameter("id"), by: call.pickerOrigin(admitted), after: after)
            )
        }
        try registry.on(.pickedItem) { [self] call, admitted in
            let session: PickerSessionID = try call.parameter("id")
            // Recorded before the session is read, so that its end closes whatever was opened before it.
            return try await pickers.active.answering(.pickerSession(session), on: call.channel) {
                try await item(call, admitted)
            }
        }
    }

    /// A chosen item's bytes, in the session's form.
    private func item(_ call: Call, _ admitted: AuthorizedCall) async throws -> Response {
        let part = try call.query(as: PickedItemQuery.self).part
        let origin = try call.pickerOrigin(admitted)
        let (asset, document) = try await pickers.picked(call.parameter("item"), in: call.parameter("id"), by: origin)
        let isOpen = { @Sendable [pickers] in document.state(at: pickers.now()) != .ended }
        let resource = try asset.pickedResource(encoding: document.servedEncoding, isMovie: part == .movie)
            .orNotFound()
        let place = try document.isServedAsStored ? nil : call.takePlace(.file)
        if call.wantsJPEG(of: resource, as: document.servedEncoding) {
            return try await media.jpeg(
                of: resource,
                without: document.strip,
                tagged: document.sealed(tag:),
                for: call
            ).keeping(place).lasting(while: isOpen)
        }
        let open = try await store.open(resource.id, of: asset)
        if document.servedEncoding == .compatible,
            let movie = try await media.h264(
                of: open,
                without: document.strip,
                by: origin.actor,
                tagged: document.sealed(tag:),
                for: call
            )
        {
            return movie.keeping(place).lasting(while: isOpen)
        }
        var file = try await ServedFile(open).without(document.strip)
        file.tag = document.sealed(tag: file.tag)
        return call.answer(file).keeping(place).lasting(while: isOpen)
    }

    private func registerPicks(in registry: inout RouteRegistry) throws {
        try registry.on(.pick) { [pickers] call, _ in
            try .json(try await pickers.shown(call.pick(pickers)))
        }
        try registry.on(.pickAssets) { [pickers, store] call, _ in
            let document = try await call.pick(pickers)
            var query = try call.assetQuery()
            query.options = try pickers.choosable(query.options, in: document)
            return .json(encoded: try await store.metadata.encodedPage(query, in: .everything))
        }
        try registry.on(.pickTimeline) { [pickers, timelines] call, admitted in
            let document = try await call.pick(pickers)
            var query = try call.timelineQuery()
            query.options = try pickers.choosable(query.options, in: document)
            return try .json(await timelines.timeline(query, for: admitted))
        }
        try registry.on(.choosePick) { [pickers] call, _ in
            let document = try await call.pick(pickers)
            return try .json(try await pickers.choose(call.json(), in: document).summary(at: call.time))
        }
        let endings: [(Endpoint, Bool)] = [(.finishPick, true), (.cancelPick, false)]
        for (endpoint, isDone) in endings {
            try registry.on(endpoint) { [pickers] call, admitted in
                let document = try await call.pick(pickers)
                let finished = try await pickers.finish(document, isDone: isDone, by: call.pickerOrigin(admitted))
                return try .json(finished.summary(at: call.time))
            }
        }
    }
}

extension Call {
    /// The caller or person, and the origin.
    func pickerOrigin(_ admitted: AuthorizedCall) throws -> Pickers.Origin {
        if let record = admitted.record {
            return Pickers.Origin(
                actor: .device(record.device),
                context: auditContext,
                readsAll: record.state == .active && record.access.readWrite == .authorized
            )
        }
        return Pickers.Origin(actor: .administrator(administrator.name), context: auditContext, readsAll: true)
    }

    /// The person's session, by its identifier and secret.
    fileprivate func pick(_ pickers: Pickers) async throws -> PickerDocument {
        try await pickers.pick(parameter("session"), secret: header(PickerRoutes.secretField))
    }

    /// Whether a chosen picture is served as a JPEG: for `compatible` if few programs read the format, for `automatic`
    /// if the caller accepts JPEG but not the format.
    fileprivate func wantsJPEG(of resource: AssetResource, as encoding: PickerEncoding) -> Bool {
        switch encoding {
        case .current, .original: false
        case .compatible: resource.needsConversion
        case .automatic:
            resource.contentType.hasPrefix("image/") && !accepts(type: resource.contentType)
                && accepts(type: "image/jpeg")
        }
    }
}
