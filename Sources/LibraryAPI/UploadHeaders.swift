package import PhotoModel
import RawStructuredFieldValues

/// The header fields of a resumable upload (draft-ietf-httpbis-resumable-upload, interop version 8).
///
/// Malformed fields are ignored, as the draft requires: the property is then nil. Bytes are always sent as
/// `application/partial-upload`.
package struct UploadHeaders: Hashable, Sendable {
    /// The names of the fields.
    package enum Name {
        /// The sender's byte offset.
        package static let offset = "Upload-Offset"
        /// Whether this is, or was, the last part.
        package static let complete = "Upload-Complete"
        /// The total length.
        package static let length = "Upload-Length"
        /// The server's limits.
        package static let limit = "Upload-Limit"
        /// The draft version that clients and servers agree on.
        package static let interopVersion = "Upload-Draft-Interop-Version"
        /// The digest of a message's content (RFC 9530, section 2).
        package static let contentDigest = "Content-Digest"
    }

    /// The supported interop version of the draft.
    package static let interopVersion: Int64 = 8
    /// The media type of a part.
    package static let partialUpload = "application/partial-upload"
    /// The server's limits of every upload: a dictionary of counts (section 5.1.4 of the draft).
    package static let limits = [
        "max-size=\(APILimits.resourceByteCount)", "max-append-size=\(APILimits.appendByteCount)",
        "max-age=\(APILimits.uploadAgeSeconds)",
    ].joined(separator: ", ")

    /// The number of durable bytes, or in a request the offset of its content.
    package var offset: Int64?
    /// Whether the upload ends with this request, or in a response, is complete.
    package var isComplete: Bool?
    /// The total number of bytes; nil while unknown.
    package var length: Int64?
    /// The server's limits; only in responses, and for clients that do not know ``APILimits``.
    package var limit: String?
    /// SHA-256 of this message's content.
    package var contentDigest: ContentDigest?

    /// Header fields with these values; nil omits one.
    package init(
        offset: Int64? = nil,
        isComplete: Bool? = nil,
        length: Int64? = nil,
        limit: String? = nil,
        contentDigest: ContentDigest? = nil
    ) {
        self.offset = offset
        self.isComplete = isComplete
        self.length = length
        self.limit = limit
        self.contentDigest = contentDigest
    }

    /// Reads a message's fields.
    ///
    /// - Parameter field: returns a field's value by name, repeated ones joined by commas; nil if absent.
    package init(field: (String) -> String?) {
        offset = field(Name.offset).flatMap(Self.count)
        isComplete = field(Name.complete).flatMap { text in
            guard case .bool(let flag) = StructuredField.item(text) else { return nil }
            return flag
        }
        length = field(Name.length).flatMap(Self.count)
        limit = field(Name.limit)
        contentDigest = field(Name.contentDigest).flatMap(DigestField.sha256)
    }

    /// The fields to send, in a fixed order.
    package var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let offset { fields.append((Name.offset, "\(offset)")) }
        if let isComplete { fields.append((Name.complete, StructuredField.text(isComplete))) }
        if let length { fields.append((Name.length, "\(length)")) }
        if let limit { fields.append((Name.limit, limit)) }
        if let contentDigest { fields.append((Name.contentDigest, DigestField.text(contentDigest))) }
        return fields
    }

    private static func count(_ text: String) -> Int64? {
        guard case .integer(let number) = StructuredField.item(text), number >= 0 else { return nil }
        return number
    }
}

/// A digest as a structured field (RFC 9530): a dictionary of algorithms, of which only `sha-256` is used.
package enum DigestField {
    /// The SHA-256 in a field's value; nil if absent, or the field is malformed.
    package static func sha256(_ text: String) -> ContentDigest? {
        guard case .undecodedByteSequence(let base64) = StructuredField.dictionary(text)?["sha-256"],
            let bytes = Base64.decode(base64)
        else { return nil }
        return ContentDigest(bytes: bytes)
    }

    /// The field's value.
    package static func text(_ digest: ContentDigest) -> String {
        "sha-256=\(StructuredField.text(digest.bytes))"
    }
}
