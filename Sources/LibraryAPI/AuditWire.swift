package import PhotoModel

/// The signed end of the audit: with a stored copy anybody can prove later that nothing before it was removed or
/// changed.
///
/// The signature covers these ASCII lines, each ended by a line feed:
///
///     tintype-audit-head-1
///     sequence <number>
///     digest <sha-256 in hexadecimal>
///     time <ISO 8601, UTC>
package struct SignedAuditHead: Hashable, Sendable, Codable {
    /// The sequence of the last entry.
    package var sequence: UInt64
    /// The digest of the last entry.
    package var digest: ContentDigest
    /// When it was signed.
    package var time: WallTime
    /// The server key that signed it.
    package var keyID: String
    /// The signature, as in a receipt.
    package var signature: Base64Bytes

    /// Takes the parts without verifying them.
    package init(sequence: UInt64, digest: ContentDigest, time: WallTime, keyID: String, signature: [UInt8]) {
        self.sequence = sequence
        self.digest = digest
        self.time = time
        self.keyID = keyID
        self.signature = Base64Bytes(signature)
    }

    /// The signed bytes.
    package static func canonicalBytes(sequence: UInt64, digest: ContentDigest, time: WallTime) -> [UInt8] {
        Array("tintype-audit-head-1\nsequence \(sequence)\ndigest \(digest)\ntime \(time)\n".utf8)
    }

    /// The signed bytes.
    package var canonicalBytes: [UInt8] { Self.canonicalBytes(sequence: sequence, digest: digest, time: time) }
}

/// The result of verifying the whole audit.
package struct AuditVerification: Hashable, Sendable, Codable {
    /// The number of verified entries.
    package var entryCount: Int
    /// The number of signed heads they were compared with.
    package var signedHeadCount: Int
    /// What is wrong, and where; nil if all is well.
    package var problem: String?
    /// The signed end of the audit; nil before the first entry, and if something is wrong.
    package var head: SignedAuditHead?

    package init(entryCount: Int, signedHeadCount: Int, problem: String? = nil, head: SignedAuditHead? = nil) {
        self.entryCount = entryCount
        self.signedHeadCount = signedHeadCount
        self.problem = problem
        self.head = head
    }
}
