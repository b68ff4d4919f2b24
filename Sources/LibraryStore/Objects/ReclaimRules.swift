/// When rows may name an object, and when it may be deleted, in a bucket shared by several servers.
///
/// An object is deleted in three steps: a row marks it; much later, if still nothing names it, its mark is condemned;
/// then it is deleted, and the mark last. Naming an object in a row and condemning a mark both happen under the
/// library's lock. A key is never reused.
enum ReclaimRules {
    /// A row never begins to name a batch's object that was received longer ago than this.
    static let receivedDuration = Duration.seconds(12 * 3600)
    /// The minimum age of a mark before it is condemned; longer than `receivedDuration`, because an object may be
    /// marked as soon as it exists.
    static let markDuration = Duration.seconds(24 * 3600)

    /// The state of an object's mark.
    enum Mark: Hashable, Sendable {
        /// None; the object may be gone.
        case none
        /// It may be removed.
        case open
        /// The object is being deleted.
        case condemned
    }

    /// Whether a row may begin to name an object.
    ///
    /// - Parameters:
    ///   - mark: the object's mark.
    ///   - hasUpload: whether the row of its upload exists, which prevents marks.
    ///   - receivedAge: the time since its batch began; nil if it is not from a batch.
    /// - Returns: false if the object may be gone, or be deleted.
    static func mayName(_ mark: Mark, hasUpload: Bool, receivedAge: Duration?) -> Bool {
        switch mark {
        case .condemned: false
        case .open: true
        case .none: hasUpload || receivedAge.map { $0 <= receivedDuration } ?? false
        }
    }

    /// Whether a mark may be condemned.
    ///
    /// - Parameters:
    ///   - age: its age.
    ///   - isWanted: whether a row names the object, or its upload's row exists.
    /// - Returns: false while a row may name the object.
    static func mayCondemn(age: Duration, isWanted: Bool) -> Bool { age >= markDuration && !isWanted }
}
