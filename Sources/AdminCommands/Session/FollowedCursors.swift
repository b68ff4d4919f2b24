import LibraryClient

/// The cursors of a list that were followed: a list that leads back to one of them would be read forever.
struct FollowedCursors<Cursor: Hashable> {
    private var seen: Set<Cursor> = []

    /// The cursor of the next page; nil at the end.
    ///
    /// - Throws: `malformedAnswer` for one that was followed before.
    mutating func follow(_ next: Cursor?) throws(LibraryClientError) -> Cursor? {
        guard let next else { return nil }
        guard seen.insert(next).inserted else {
            throw LibraryClientError(malformed: "a list leads back to a page that was read before")
        }
        return next
    }
}
