import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// A stored signed head: one per day, named by the day.
private struct AuditHeadDocument: StoredDocument {
    static let kind = RecordKind(rawValue: "auditHead")

    let head: SignedAuditHead
}

/// Signs the end of the audit once a day, and verifies the whole audit against the signed heads.
struct AuditLog: Sendable {
    /// Entries read at once.
    private static let pageCount = 1000

    let store: any RecordStore
    let key: ReceiptKey
    let now: @Sendable () -> WallTime

    /// The current end of the audit, signed now; nil before the first entry.
    func head() async throws -> SignedAuditHead? {
        guard let last = try await store.lastAuditEntry() else { return nil }
        let time = now()
        let bytes = SignedAuditHead.canonicalBytes(sequence: last.sequence, digest: last.digest, time: time)
        let signature = try key.signature(for: bytes)
        return SignedAuditHead(
            sequence: last.sequence,
            digest: last.digest,
            time: time,
            keyID: signature.keyID.description,
            signature: signature.bytes
        )
    }

    /// Stores a signed head for today, unless there is one.
    func keepHead() async throws {
        guard let head = try await head() else { return }
        let day = head.time.description.prefix(10)
        let id = RecordID.derived(from: ContentHasher.digest(Array("audit head of \(day)".utf8)))
        guard try await store.record(id, of: AuditHeadDocument.kind) == nil else { return }
        let record = StoredRecord(id: id, document: try AuditHeadDocument(head: head).text())
        _ = try await store.updateRecord(id, of: AuditHeadDocument.kind, audit: nil) { $0 ?? record }
    }

    /// Checks every entry against the previous one, and against every stored head.
    func verify() async throws -> AuditVerification {
        let heads = try await store.records(of: AuditHeadDocument.kind).map { try AuditHeadDocument($0).head }
        var answer = AuditVerification(entryCount: 0, signedHeadCount: heads.count)
        for head in heads where !isSigned(head) {
            answer.problem = "the signed head of \(head.time) was changed"
            return answer
        }
        let chain = AuditChain { ContentHasher.digest($0) }
        var awaited = heads.map { AuditHead(sequence: $0.sequence, digest: $0.digest) }
        var last = AuditHead.start
        while true {
            let page = try await store.audit(after: last.sequence, device: nil, limit: Self.pageCount)
            let end = page.last?.sequence ?? .max
            let due = awaited.filter { $0.sequence <= end }
            awaited.removeAll { $0.sequence <= end }
            do {
                last = try chain.verify(page, after: last, signedHeads: due)
            } catch {
                answer.problem = "\(error)"
                return answer
            }
            answer.entryCount += page.count
            if page.isEmpty { break }
        }
        answer.head = try await head()
        return answer
    }

    private func isSigned(_ head: SignedAuditHead) -> Bool {
        guard let keyID = ReceiptKeyID(head.keyID) else { return false }
        let signature = ReceiptSignature(keyID: keyID, bytes: head.signature.bytes)
        return key.verificationKey.isValid(signature, for: head.canonicalBytes)
    }
}
