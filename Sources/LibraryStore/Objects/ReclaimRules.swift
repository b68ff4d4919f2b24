/// When several servers that share a bucket may name an object in a row, and when they may delete one.
///
/// An object is deleted in three steps: a row marks it; much later, if still nothing names it, its mark is condemned; then it is
/// deleted, and the mark goes last. Rows name objects, and marks are condemned, under the library's lock. A key is never used
/// twice.
enum ReclaimRules {
    /// What a row has received of a batch's object longer ago than this it never names.
    static let receivedDuration = Duration.seconds(12 * 3600)
    /// How old a mark is at least before it is condemned; longer than `receivedDuration`, because an object may have been marked
    /// as soon as it was there.
    static let markDuration = Duration.seconds(24 * 3600)

    /// What is known of an object's mark.
    enum Mark: Hashable, Sendable {
        /// There is none; the object may be gone.
        case none
        /// It may be taken away.
        case open
        /// The object is being deleted.
        case condemned
    }

    /// Whether a row may begin to name an object.
    ///
    /// - Parameters:
    ///   - mark: the object's mark.
    ///   - hasUpload: whether the row of the upload that brought it is there, which keeps marks from it.
    ///   - receivedAge: how long ago the batch began that brought it; nil if none did.
    /// - Returns: false if the object may be gone, or go.
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
    ///   - age: how old it is.
    ///   - isWanted: whether a row names the object, or an upload that is there brought it.
    /// - Returns: false while a row may name the object.
    static func mayCondemn(age: Duration, isWanted: Bool) -> Bool { age >= markDuration && !isWanted }
}
