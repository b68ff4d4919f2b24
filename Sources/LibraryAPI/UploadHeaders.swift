package import PhotoModel
import RawStructuredFieldValues

/// The header fields of a resumable upload (draft-ietf-httpbis-resumable-upload, interop version 8).
///
/// Fields of another form than the draft's are ignored, as it asks: the property is nil then. Bytes are always sent as
/// `application/partial-upload`.
package struct UploadHeaders: Hashable, Sendable {
    /// The names of the fields.
    package enum Name {
        /// How many bytes the sender of the message counts.
        package static let offset = "Upload-Offset"
        /// Whether this is, or was, the last part.
        package static let complete = "Upload-Complete"
        /// How long the whole is.
        package static let length = "Upload-Length"
        /// What the server allows.
        package static let limit = "Upload-Limit"
        /// The version that clients and servers agree on while the draft is one.
        package static let interopVersion = "Upload-Draft-Interop-Version"
        /// The digest of a message's content (RFC 9530, section 2).
        package static let contentDigest = "Content-Digest"
        /// The digest of a whole representation (RFC 9530, section 3).
        package static let representationDigest = "Repr-Digest"
    }

    /// The draft's interop version that is spoken here.
    package static let interopVersion: Int64 = 8
    /// The media type of a part.
    package static let partialUpload = "application/partial-upload"

    /// Bytes that are durable, or in a request where its content begins.
    package var offset: Int64?
    /// Whether the upload ends with this request, or in an answer, has ended.
    package var isComplete: Bool?
    /// Bytes of the whole; nil while unknown.
    package var length: Int64?
    /// What the server allows; only in answers.
    package var limit: UploadLimit?
    /// SHA-256 of this message's content.
    package var contentDigest: ContentDigest?
    /// SHA-256 of the whole.
    package var representationDigest: ContentDigest?

    /// Header fields with these values; nil leaves one out.
    package init(
        offset: Int64? = nil,
        isComplete: Bool? = nil,
        length: Int64? = nil,
        limit: UploadLimit? = nil,
        contentDigest: ContentDigest? = nil,
        representationDigest: ContentDigest? = nil
    ) {
        self.offset = offset
        self.isComplete = isComplete
        self.length = length
        self.limit = limit
        self.contentDigest = contentDigest
        self.representationDigest = representationDigest
    }

    /// Reads the fields out of a message.
    ///
    /// - Parameter field: gives the value of a field by its name, several of one name joined by commas; nil for none.
    package init(field: (String) -> String?) {
        offset = field(Name.offset).flatMap(Self.count)
        isComplete = field(Name.complete).flatMap { text in
            guard case .bool(let flag) = StructuredField.item(text) else { return nil }
            return flag
        }
        length = field(Name.length).flatMap(Self.count)
        limit = field(Name.limit).flatMap(UploadLimit.init)
        contentDigest = field(Name.contentDigest).flatMap(DigestField.sha256)
        representationDigest = field(Name.representationDigest).flatMap(DigestField.sha256)
    }

    /// The fields to be sent, in a fixed order.
    package var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let offset { fields.append((Name.offset, "\(offset)")) }
        if let isComplete { fields.append((Name.complete, StructuredField.text(isComplete))) }
        if let length { fields.append((Name.length, "\(length)")) }
        if let limit { fields.append((Name.limit, limit.description)) }
        if let contentDigest { fields.append((Name.contentDigest, DigestField.text(contentDigest))) }
        if let representationDigest {
            fields.append((Name.representationDigest, DigestField.text(representationDigest)))
        }
        return fields
    }

    private static func count(_ text: String) -> Int64? {
        guard case .integer(let number) = StructuredField.item(text), number >= 0 else { return nil }
        return number
    }
}

/// A digest as a structured field (RFC 9530): a dictionary of algorithms, of which `sha-256` is the one that counts.
package enum DigestField {
    /// The SHA-256 of a field's value; nil when there is none, or the field is broken.
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
