import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

extension Devices {
    /// Whether these are valid device tags: few, short, unique, and not the one for every device.
    static func areTags(_ tags: [String]) -> Bool {
        tags.count <= APILimits.deviceTagCount && Set(tags).count == tags.count
            && tags.allSatisfy { 1...APILimits.tagByteCount ~= $0.utf8.count && $0 != CeilingRule.everyDevice }
    }

    /// Changes a device's name, tags and album; the new tags' ceilings apply at once.
    ///
    /// - Throws: `object.not_found`, `request.malformed` for a name, tag or title beyond its limit.
    func edit(_ id: DeviceID, _ edit: DeviceEdit, by administrator: Administrator, _ ceilings: Ceilings) async throws {
        guard edit.name.map({ 1...APILimits.deviceNameByteCount ~= $0.utf8.count }) ?? true,
            Self.areTags(edit.tags ?? []), edit.album.map({ $0.utf8.count <= Album.maximumTitleByteCount }) ?? true
        else {
            throw ProblemDetails(
                .malformedRequest,
                "A name has 1 to \(APILimits.deviceNameByteCount) bytes, a tag 1 to \(APILimits.tagByteCount), "
                    + "an album's title up to \(Album.maximumTitleByteCount)."
            )
        }
        let before = try await store.device(id).orNotFound()
        let new = Self.words(
            edit.name ?? before.profile.name,
            edit.tags ?? before.profile.tags,
            edit.album ?? before.profile.album
        )
        var audit = administrator.audit(.rename, new, edit.reason, of: id)
        audit.old = Self.words(before.profile.name, before.profile.tags, before.profile.album)
        _ = try await store.updateProfile(of: id, audit: audit) { profile in
            if let name = edit.name { profile.name = name }
            if let tags = edit.tags { profile.tags = tags }
            if let album = edit.album { profile.album = album.isEmpty ? nil : album }
        }
        try await ceilings.hold(id, by: administrator, edit.reason)
    }

    private static func words(_ name: String, _ tags: [String], _ album: String?) -> String {
        "name \(name); tags \(tags.sorted().joined(separator: ", ")); album \(album ?? "")"
    }
}
