package import PhotoModel

/// The end of the audit with the server's word for it: whoever keeps one can prove later that nothing before it was
/// taken away or changed.
///
/// What is signed are these lines of ASCII, each ended by a line feed:
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
    /// Which of the server's keys signed it.
    package var keyID: String
    /// The signature, as that of a receipt.
    package var signature: Base64Bytes

    /// Takes the parts as they are; nothing is verified here.
    package init(sequence: UInt64, digest: ContentDigest, time: WallTime, keyID: String, signature: [UInt8]) {
        self.sequence = sequence
        self.digest = digest
        self.time = time
        self.keyID = keyID
        self.signature = Base64Bytes(signature)
    }

    /// The bytes that are signed.
    package static func canonicalBytes(sequence: UInt64, digest: ContentDigest, time: WallTime) -> [UInt8] {
        Array("tintype-audit-head-1\nsequence \(sequence)\ndigest \(digest)\ntime \(time)\n".utf8)
    }

    /// The bytes that are signed.
    package var canonicalBytes: [UInt8] { Self.canonicalBytes(sequence: sequence, digest: digest, time: time) }
}

/// What a check of the whole audit found.
package struct AuditVerification: Hashable, Sendable, Codable {
    /// Entries that were checked.
    package var entryCount: Int
    /// Signed heads that they were held against.
    package var signedHeadCount: Int
    /// What is wrong, and where; nil when all is well.
    package var problem: String?
    /// The end of the audit, signed; nil before the first entry, and when something is wrong.
    package var head: SignedAuditHead?

    package init(entryCount: Int, signedHeadCount: Int, problem: String? = nil, head: SignedAuditHead? = nil) {
        self.entryCount = entryCount
        self.signedHeadCount = signedHeadCount
        self.problem = problem
        self.head = head
    }
}
