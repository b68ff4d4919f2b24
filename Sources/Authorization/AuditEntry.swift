package import PhotoModel

/// One line of the audit, linked to the line before it by that line's digest.
///
/// Canonical bytes, which the digest is taken of: `tintype audit 1` and a line feed; the sequence and the time in
/// microseconds since 1970, each 8 bytes, highest first; then each text field in the order of `Content` as 1 byte that
/// says whether it is there and, if so, 4 bytes of length and its UTF-8; then the digest of the entry before (1 byte
/// whether there is one, 32 bytes). Length first, so that no two entries share their bytes.
package struct AuditEntry: Hashable, Sendable, Codable {
    /// What happened.
    package struct Content: Hashable, Sendable, Codable {
        /// The kind.
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
        /// What was before.
        package var old: String?
        /// What is now.
        package var new: String?
        /// Why.
        package var reason: String?

        /// What is known of every event; the rest is set where it is known.
        package init(_ event: AuditEvent, by actor: String) {
            self.event = event
            self.actor = actor
        }

        fileprivate var fields: [String?] {
            [event.rawValue, actor, device, fingerprint, requestID, address, old, new, reason]
        }
    }

    /// Counts the entries from 1, without gaps.
    package let sequence: UInt64
    /// When, by the server's clock.
    package let time: WallTime
    /// What happened.
    package let content: Content
    /// The digest of the entry before; nil for the first.
    package let previous: ContentDigest?
    /// The digest of this entry's canonical bytes.
    package let digest: ContentDigest

    /// The bytes that the digest is taken of.
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
        bytes.append(bigEndian: sequence)
        bytes.append(bigEndian: UInt64(bitPattern: time.microsecondsSince1970))
        for field in content.fields {
            guard let field else {
                bytes.append(0)
                continue
            }
            bytes.append(1)
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: field.utf8.count))
            bytes += field.utf8
        }
        bytes.append(previous == nil ? 0 : 1)
        bytes += previous?.bytes ?? []
        return bytes
    }

    init(
        sequence: UInt64,
        time: WallTime,
        content: Content,
        previous: ContentDigest?,
        digest: ContentDigest
    ) {
        self.sequence = sequence
        self.time = time
        self.content = content
        self.previous = previous
        self.digest = digest
    }
}

extension [UInt8] {
    /// Appends a number, highest byte first.
    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}
