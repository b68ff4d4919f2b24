import LibraryClient

extension LibraryClient {
    /// Reads a list; `page` reads one page, and returns where the next one begins.
    ///
    /// - Throws: `malformedAnswer` for a list that leads back to a page, which would be read forever; what `page` throws.
    func followPages<Cursor: Hashable>(
        from first: Cursor?,
        _ page: (_ start: Cursor?) async throws -> Cursor?
    ) async throws {
        var seen: Set<Cursor> = []
        var start = first
        while let next = try await page(start) {
            guard seen.insert(next).inserted else {
                throw LibraryClientError(malformed: "a list leads back to a page that was read before")
            }
            start = next
        }
    }
}
