import Authorization
import HTTPTypes
import LibraryAPI
import LibraryStore
import PhotoModel

/// Archives of many assets, and camera facts of originals.
struct ArchiveRoutes {
    let archives: Archives

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.createArchive) { [archives] call, admitted in
            let owner = try call.pickerOrigin(admitted).actor
            let id = try await archives.open(call.json(), for: owner)
            return try .json(await archives.state(id, of: owner, in: admitted.view), status: .created)
        }
        try registry.on(.archive) { [archives] call, admitted in
            let owner = try call.pickerOrigin(admitted).actor
            return try .json(await archives.state(call.parameter("id"), of: owner, in: admitted.view))
        }
        try registry.on(.prepareArchive) { [archives] call, admitted in
            let owner = try call.pickerOrigin(admitted).actor
            return try .json(await archives.prepare(call.parameter("id"), of: owner, in: admitted.view))
        }
        try registry.on(.archiveContent) { [archives] call, admitted in
            let owner = try call.pickerOrigin(admitted).actor
            let file = try await archives.file(call.parameter("id"), of: owner, in: admitted.view)
            // The end of an archive is made from the checksums of all its files, whatever range was asked for.
            return call.answer(file)
        }
        try registry.on(.facts) { [store = archives.store] call, admitted in
            let asset = try await store.metadata.asset(call.parameter("id"), in: admitted.view).orNotFound()
            guard let original = asset.primaryResource else { return try .json(CameraFacts()) }
            return try await .json(CameraFacts(of: store.open(original.id, of: asset)))
        }
    }
}
