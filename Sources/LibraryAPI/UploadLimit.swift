import RawStructuredFieldValues

/// A server's limits for an upload: the `Upload-Limit` field of the resumable-upload draft.
package struct UploadLimit: Hashable, Sendable, CustomStringConvertible {
    /// The maximum total bytes.
    package var maximumByteCount: Int64?
    /// The minimum total bytes.
    package var minimumByteCount: Int64?
    /// The maximum bytes of one request.
    package var maximumAppendByteCount: Int64?
    /// The minimum bytes of one request other than the last.
    package var minimumAppendByteCount: Int64?
    /// Seconds that the upload is kept, from this response on.
    package var maximumAgeSeconds: Int64?

    /// Limits; nil means none.
    package init(
        maximumByteCount: Int64? = nil,
        minimumByteCount: Int64? = nil,
        maximumAppendByteCount: Int64? = nil,
        minimumAppendByteCount: Int64? = nil,
        maximumAgeSeconds: Int64? = nil
    ) {
        self.maximumByteCount = maximumByteCount
        self.minimumByteCount = minimumByteCount
        self.maximumAppendByteCount = maximumAppendByteCount
        self.minimumAppendByteCount = minimumAppendByteCount
        self.maximumAgeSeconds = maximumAgeSeconds
    }

    /// Reads the field; nil unless it is a dictionary whose known members are counts.
    ///
    /// As the draft requires, unknown members are ignored, and a known one of another type makes the whole field
    /// invalid.
    package init?(_ text: String) {
        guard let members = StructuredField.dictionary(text) else { return nil }
        for (key, path) in Self.members {
            switch members[key] {
            case nil: continue
            case .integer(let number) where number >= 0: self[keyPath: path] = number
            default: return nil
            }
        }
    }

    /// The field's value.
    package var description: String {
        Self.members.compactMap { key, path in self[keyPath: path].map { "\(key)=\($0)" } }.joined(separator: ", ")
    }

    private static var members: [(String, WritableKeyPath<UploadLimit, Int64?>)] {
        [
            ("max-size", \.maximumByteCount), ("min-size", \.minimumByteCount),
            ("max-append-size", \.maximumAppendByteCount), ("min-append-size", \.minimumAppendByteCount),
            ("max-age", \.maximumAgeSeconds),
        ]
    }
}
