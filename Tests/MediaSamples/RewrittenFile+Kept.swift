package import MediaFormats

extension RewrittenFile {
    /// The ranges of the old file that the new one keeps.
    package var keptRanges: [FileRange] {
        pieces.compactMap { piece in
            guard case .source(let range) = piece else { return nil }
            return range
        }
    }
}
