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
    let desk: Pickers
    let media: Derivatives
    let timelines: TimelineRoutes

    func register(in registry: inout RouteRegistry) throws {
        try registerSessions(in: &registry)
        try registerItems(in: &registry)
        try registerPicks(in: &registry)
    }

    private func registerSessions(in registry: inout RouteRegistry) throws {
        try registry.on(.createPicker) { [desk] call, admitted in
            try .json(try await desk.open(call.json(), for: call.pickerOrigin(admitted)), status: .created)
        }
        try registry.on(.picker) { [desk] call, admitted in
            try .json(try await desk.session(call.parameter("id"), of: call.pickerOrigin(admitted).actor))
        }
        try registry.on(.editPicker) { [desk] call, admitted in
            let id: PickerSessionID = try call.parameter("id")
            return try .json(try await desk.edit(id, call.json(), of: call.pickerOrigin(admitted).actor))
        }
        try registry.on(.endPicker) { [desk] call, admitted in
            let origin = try call.pickerOrigin(admitted)
            try await desk.end(call.parameter("id"), of: origin.actor, by: origin)
            return .noContent
        }
    }

    private func registerItems(in registry: inout RouteRegistry) throws {
        try registry.on(.pickedItems) { [desk] call, admitted in
            let after = try call.query(as: PickedItemsQuery.self).after
            return try .json(
                try await desk.items(call.parameter("id"), by: call.pickerOrigin(admitted), after: after)
            )
        }
        try registry.on(.pickedItem) { [desk, store, media] call, admitted in
            let part = try call.query(as: PickedItemQuery.self).part
            let origin = try call.pickerOrigin(admitted)
            let (asset, document) = try await desk.picked(call.parameter("item"), in: call.parameter("id"), by: origin)
            guard let resource = asset.pickedResource(encoding: document.servedEncoding, isMovie: part == .movie)
            else {
                throw ProblemDetails.notFound
            }
            if call.wantsJPEG(of: resource, as: document.servedEncoding) {
                return try await media.jpeg(of: resource, without: document.strip, for: call)
            }
            let open = try await store.open(resource.id, of: asset)
            if document.servedEncoding == .compatible,
                let movie = try await media.h264(of: open, without: document.strip, for: call)
            {
                return movie
            }
            return try await call.answer(ServedFile(open).without(document.strip))
        }
    }

    private func registerPicks(in registry: inout RouteRegistry) throws {
        try registry.on(.pick) { [desk] call, _ in
            try .json(try await desk.shown(call.pick(desk)))
        }
        try registry.on(.pickAssets) { [desk, store] call, _ in
            let document = try await call.pick(desk)
            var query = try call.assetQuery()
            query.options = try desk.choosable(query.options, in: document)
            return .json(encoded: try await store.metadata.encodedPage(query, in: .everything))
        }
        try registry.on(.pickTimeline) { [desk, timelines] call, admitted in
            let document = try await call.pick(desk)
            var query = try call.timelineQuery()
            query.options = try desk.choosable(query.options, in: document)
            return try .json(await timelines.timeline(query, for: admitted))
        }
        try registry.on(.choosePick) { [desk] call, _ in
            let document = try await call.pick(desk)
            return try .json(try await desk.choose(call.json(), in: document).summary(at: call.time))
        }
        let endings: [(Endpoint, Bool)] = [(.finishPick, true), (.cancelPick, false)]
        for (endpoint, isDone) in endings {
            try registry.on(endpoint) { [desk] call, admitted in
                let document = try await call.pick(desk)
                let finished = try await desk.finish(document, isDone: isDone, by: call.pickerOrigin(admitted))
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
        return Pickers.Origin(
            actor: .administrator(administrator.name),
            context: auditContext,
            readsAll: true
        )
    }

    /// The person's session, by its identifier and secret.
    fileprivate func pick(_ desk: Pickers) async throws -> PickerDocument {
        try await desk.pick(parameter("session"), secret: header(PickerRoutes.secretField))
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
