import LibraryAPI

/// The work that one request may do before it yields the library's writer.
///
/// There is only one writer: others wait for the current turn, not for the whole request. It counts work instead of
/// time, so that the same request is split at the same points everywhere; a unit is about 100 microseconds on two cores
/// of 2020.
struct WriterTurn: Sendable {
    /// Units per turn.
    static let usual = 256

    private(set) var rest: Int

    init(_ units: Int = usual) {
        rest = units
    }

    /// Whether another change may be judged in this turn.
    var hasRoom: Bool { rest > 0 }

    /// Counts an examined change: its bytes go into its entity's state, the asset's document and the words' index.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - isWrittenAlone: whether its entity is written before the next change is judged.
    mutating func count(_ change: ChangePush.Change, isWrittenAlone: Bool = false) {
        rest -= (isWrittenAlone ? 8 : 1) + change.delta.bytes.count >> 8
    }

    /// Counts the edit of one asset, which is written alone.
    mutating func count(_ edit: AssetEdit) {
        let keywords = (edit.addedKeywords ?? []).count + (edit.removedKeywords ?? []).count
        rest -= 8 + keywords
    }

    /// The work of a new asset, of which several are written together.
    static func units(of manifest: AssetManifest) -> Int {
        let textCount = (manifest.title ?? "").utf8.count + (manifest.caption ?? "").utf8.count
        return 1 + (manifest.keywords ?? []).count + manifest.resources.count >> 2 + textCount >> 9
    }

    /// Counts a new asset.
    mutating func count(_ manifest: AssetManifest) {
        rest -= Self.units(of: manifest)
    }

    /// Counts the writes superseded by a change.
    mutating func count(superseded: Int) {
        rest -= superseded >> 4
    }

    /// The members that may still be added to limited views, or deleted from them.
    var viewMemberRoom: Int { max(rest, 0) << 2 }

    /// Counts members added to a limited view, or deleted from it, by one statement.
    mutating func count(viewMembers: Int) {
        rest -= (viewMembers + 3) >> 2
    }

    /// Counts changes among which those that concern a limited view were searched.
    mutating func count(lookedThrough: Int) {
        rest -= lookedThrough >> 4
    }

    /// The changes that limited views may still follow.
    var followedRoom: Int { (max(rest, 0) + 1) >> 1 }

    /// Counts a change that a limited view followed.
    mutating func countFollowed() {
        rest -= 2
    }

    /// Counts a membership of an album, which is read and written by itself.
    mutating func countMembership() {
        rest -= 8
    }

    /// Counts an asset's document that is read and rewritten: a usual one is in the units of its change, while the
    /// keywords and words of a large one are decoded, indexed and compared one by one.
    mutating func count(documentBytes: Int) {
        rest -= max(documentBytes - 1024, 0) >> 5
    }

    /// Counts a state that is read or written.
    mutating func count(stateBytes: Int) {
        rest -= stateBytes >> 10
    }
}
