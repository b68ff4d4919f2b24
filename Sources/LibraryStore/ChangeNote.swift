import Authorization
import LibraryAPI
import Replication

/// Who changes what, for the human-readable history.
struct ChangeNote: Sendable {
    /// What the server writes after a push besides its changes, which are noted one by one (`retireSurplus`).
    static let surplus = "conflicting edits dropped"

    /// The actor.
    let actor: Actor
    /// What was changed, in interface terms: the fields, or the event.
    let what: String

    init(_ actor: Actor, _ what: String) {
        self.actor = actor
        self.what = what
    }
}

extension Change {
    /// What it changed of its entity, in interface terms.
    func what(of entity: EntityReference) -> String {
        switch (entity, field) {
        case (.asset, AssetField.trashed): value == .nothing ? "restored" : "trashed"
        case (.asset, _): AssetField.name(of: field)
        case (.album, AlbumField.presence): superseded.isEmpty ? "created" : "kept"
        case (.album, AlbumField.tombstone): "deleted"
        case (.album, AlbumField.title): "title"
        case (.album, AlbumField.cover): "cover"
        case (.album, AlbumField.sort): "order"
        case (.membership, MembershipField.presence): value == nil ? "removed" : "added"
        case (.membership, MembershipField.position): "moved"
        default: "field \(field.rawValue)"
        }
    }
}

extension AssetField {
    /// The field's wire name; its number for one that this version does not know.
    static func name(of field: FieldID) -> String {
        switch field {
        case favorite: "isFavorite"
        case hidden: "isHidden"
        case rating: "rating"
        case title: "title"
        case caption: "caption"
        case captureDateOverride: "captureDateOverride"
        case locationOverride: "location"
        case keyword: "keywords"
        default: "field \(field.rawValue)"
        }
    }
}
