import Authorization
import Replication

/// Who changes what, for the human-readable history.
struct ChangeNote: Sendable {
    /// The actor.
    let actor: Actor
    /// What was changed, in interface terms: the fields, or the event.
    let what: String

    init(_ actor: Actor, _ what: String) {
        self.actor = actor
        self.what = what
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
        case trashed: "trash"
        default: "field \(field.rawValue)"
        }
    }
}
