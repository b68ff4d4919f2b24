package import PhotoModel

/// One entry of the audit, linked to the previous one by that entry's digest.
///
/// The digest is taken over canonical bytes: `tintype audit 1` and a line feed; the sequence and the time in
/// microseconds since 1970, each 8 bytes, big-endian; then each text field in the order of `Content` as a presence byte
/// and, if present, 4 bytes of length and its UTF-8; then the previous entry's digest (a presence byte, 32 bytes).
/// Lengths come first so that no two entries encode to the same bytes.
package struct AuditEntry: Hashable, Sendable, Codable {
    /// What happened.
    package struct Content: Hashable, Sendable, Codable {
        /// The kind of event.
        package var event: AuditEvent
        /// Who did it.
        package var actor: String
        /// The device it is about.
        package var device: String?
        /// The key's fingerprint.
        package var fingerprint: String?
        /// The request's identifier.
        package var requestID: String?
        /// Where it came from.
        package var address: String?
        /// The old value.
        package var old: String?
        /// The new value.
        package var new: String?
        /// Why.
        package var reason: String?

        /// Sets the required fields; the caller sets the rest.
        package init(_ event: AuditEvent, by actor: String) {
            self.event = event
            self.actor = actor
        }

        fileprivate var fields: [String?] {
            [event.rawValue, actor, device, fingerprint, requestID, address, old, new, reason]
        }
    }

    /// Numbers the entries from 1, without gaps.
    package let sequence: UInt64
    /// When, by the server's clock.
    package let time: WallTime
    /// What happened.
    package let content: Content
    /// The previous entry's digest; nil for the first.
    package let previous: ContentDigest?
    /// The digest of this entry's canonical bytes.
    package let digest: ContentDigest

    /// The bytes that are hashed.
    package var canonicalBytes: [UInt8] {
        Self.canonicalBytes(sequence: sequence, time: time, content: content, previous: previous)
    }

    static func canonicalBytes(
        sequence: UInt64,
        time: WallTime,
        content: Content,
        previous: ContentDigest?
    ) -> [UInt8] {
        var bytes = Array("tintype audit 1\n".utf8)
        bytes += sequence.bigEndianBytes
        bytes += UInt64(bitPattern: time.microsecondsSince1970).bigEndianBytes
        for field in content.fields {
            guard let field else {
                bytes.append(0)
                continue
            }
            bytes.append(1)
            bytes += UInt32(truncatingIfNeeded: field.utf8.count).bigEndianBytes
            bytes += field.utf8
        }
        bytes.append(previous == nil ? 0 : 1)
        bytes += previous?.bytes ?? []
        return bytes
    }
}
