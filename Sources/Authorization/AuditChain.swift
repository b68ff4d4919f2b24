package import PhotoModel

/// The current end of an audit: signed once a day, and the predecessor of the next entry.
package struct AuditHead: Hashable, Sendable, Codable {
    /// The sequence of the last entry; 0 before the first.
    package let sequence: UInt64
    /// The digest of the last entry; nil before the first.
    package let digest: ContentDigest?

    package init(sequence: UInt64, digest: ContentDigest?) {
        self.sequence = sequence
        self.digest = digest
    }

    /// The head before the first entry.
    package static let start = AuditHead(sequence: 0, digest: nil)

    /// The head after an entry.
    package init(_ entry: AuditEntry) {
        self.init(sequence: entry.sequence, digest: entry.digest)
    }
}

/// Why an audit fails verification.
package enum AuditProblem: Error, Hashable, Sendable {
    /// An entry is out of place: removed, duplicated or reordered.
    case outOfOrder(expected: UInt64, found: UInt64)
    /// An entry does not link to the one before it.
    case broken(sequence: UInt64)
    /// An entry was changed.
    case tampered(sequence: UInt64)
    /// The signed head names an entry that no longer exists.
    case truncated(sequence: UInt64)
    /// The signed head names a different entry than the one there.
    case headMismatch(sequence: UInt64)
}

/// Links and verifies the audit, with the hash function passed in.
package struct AuditChain: Sendable {
    private let hash: @Sendable ([UInt8]) -> ContentDigest

    /// Creates a chain with the hash function, SHA-256.
    package init(hash: @escaping @Sendable ([UInt8]) -> ContentDigest) {
        self.hash = hash
    }

    /// The entry that follows a head.
    package func entry(_ content: AuditEntry.Content, at time: WallTime, after head: AuditHead) -> AuditEntry {
        let sequence = head.sequence + 1
        let bytes = AuditEntry.canonicalBytes(sequence: sequence, time: time, content: content, previous: head.digest)
        return AuditEntry(sequence: sequence, time: time, content: content, previous: head.digest, digest: hash(bytes))
    }

    /// Checks entries in order against each other, the head they follow, and heads with a verified signature, each at
    /// or after it; returns the head of the last entry.
    ///
    /// - Throws: the first problem found.
    @discardableResult
    package func verify(
        _ entries: some Sequence<AuditEntry>,
        after start: AuditHead = .start,
        signedHeads: [AuditHead] = []
    ) throws(AuditProblem) -> AuditHead {
        var awaited = Dictionary(signedHeads.map { ($0.sequence, $0.digest) }, uniquingKeysWith: { first, _ in first })
        var head = start
        try Self.compare(head, with: &awaited)
        for entry in entries {
            let (expected, overflowed) = head.sequence.addingReportingOverflow(1)
            guard !overflowed, entry.sequence == expected else {
                throw .outOfOrder(expected: expected, found: entry.sequence)
            }
            guard entry.previous == head.digest else { throw .broken(sequence: entry.sequence) }
            guard entry.digest == hash(entry.canonicalBytes) else { throw .tampered(sequence: entry.sequence) }
            head = AuditHead(entry)
            try Self.compare(head, with: &awaited)
        }
        if let missing = awaited.keys.min() { throw .truncated(sequence: missing) }
        return head
    }

    private static func compare(_ head: AuditHead, with awaited: inout [UInt64: ContentDigest?]) throws(AuditProblem) {
        guard let signed = awaited.removeValue(forKey: head.sequence) else { return }
        guard signed == head.digest else { throw .headMismatch(sequence: head.sequence) }
    }
}
