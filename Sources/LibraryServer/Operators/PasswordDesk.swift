import Authorization
import CryptoExtras
import Foundation
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Synchronization

/// A password as it is kept (scrypt, RFC 7914).
private struct PasswordDocument: StoredDocument {
    static let kind = RecordKind(rawValue: "operatorPassword")

    let name: String
    let salt: Base64Bytes
    let hash: Base64Bytes
    let rounds: Int
    let blockSize: Int
    let parallelism: Int
}

/// Keeps operators' passwords, and compares them without telling whether a name exists.
final class PasswordDesk: Sendable {
    /// 32 MiB and about 0.1 s a guess.
    private static let rounds = 1 << 15
    private static let blockSize = 8
    /// Wrong passwords for one name within ``window`` before all are refused.
    static let maximumFailureCount = 5
    /// How long failures count: 15 minutes.
    static let window = Duration.seconds(900)
    /// Names whose failures are counted at once.
    private static let maximumNameCount = 10_000

    private let store: any MetadataStore
    private let blocking: BlockingPool
    private let now: @Sendable () -> WallTime
    private let failures = Mutex<[String: [WallTime]]>([:])

    init(store: any MetadataStore, now: @escaping @Sendable () -> WallTime) {
        self.store = store
        // One guess at a time, so that guessing costs time and not the server's memory.
        blocking = BlockingPool(width: 1, maximumWaiting: 32)
        self.now = now
    }

    /// Sets an operator's password, or takes it away.
    ///
    /// - Throws: `request.malformed` for a password of another length than is taken.
    func set(_ password: String?, of name: String, by administrator: DeviceDesk.Administrator) async throws {
        var record: StoredRecord?
        if let password {
            guard OperatorPassword.minimumByteCount...OperatorPassword.maximumByteCount ~= password.utf8.count else {
                throw ProblemDetails(
                    .malformedRequest,
                    "A password has \(OperatorPassword.minimumByteCount) to \(OperatorPassword.maximumByteCount) bytes.",
                    field: "password"
                )
            }
            let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
            let document = PasswordDocument(
                name: name,
                salt: Base64Bytes(salt),
                hash: Base64Bytes(try await hash(password, salt: salt)),
                rounds: Self.rounds,
                blockSize: Self.blockSize,
                parallelism: 1
            )
            record = StoredRecord(id: Self.id(of: name), document: try document.text())
        }
        let kept = record
        let words = "password of \(name) \(kept == nil ? "taken away" : "set")"
        let audit = administrator.audit(.policyChange, words, nil)
        _ = try await store.updateRecord(Self.id(of: name), of: PasswordDocument.kind, audit: audit) { _ in kept }
        failures.withLock { $0[name] = nil }
    }

    /// Whether a password is an operator's.
    ///
    /// - Throws: `slow_down` after too many wrong ones.
    func isRight(_ password: String, of name: String) async throws -> Bool {
        guard password.utf8.count <= OperatorPassword.maximumByteCount, name.utf8.count <= 64 else { return false }
        guard count(of: name) < Self.maximumFailureCount else {
            throw ProblemDetails(.slowDown, "Too many wrong passwords: wait.", retryAfterSeconds: 900)
        }
        let document = try await store.record(Self.id(of: name), of: PasswordDocument.kind).map(PasswordDocument.init)
        // A name without a password costs the same time.
        let salt = document?.salt.bytes ?? Array(name.utf8)
        let found = try await hash(password, salt: salt)
        let isRight = document.map { Self.isEqual(found, $0.hash.bytes) } ?? false
        if !isRight { noteFailure(of: name) }
        return isRight
    }

    private func count(of name: String) -> Int {
        let since = now().advanced(by: .zero - Self.window)
        return failures.withLock { $0[name, default: []].count { $0 > since } }
    }

    private func noteFailure(of name: String) {
        let time = now()
        let since = time.advanced(by: .zero - Self.window)
        failures.withLock { failures in
            if failures.count >= Self.maximumNameCount {
                failures = failures.filter { $0.value.contains { $0 > since } }
            }
            failures[name] = failures[name, default: []].filter { $0 > since } + [time]
        }
    }

    private func hash(_ password: String, salt: [UInt8]) async throws -> [UInt8] {
        try await blocking.run {
            let key = try KDF.Scrypt.deriveKey(
                from: Data(password.utf8),
                salt: Data(salt),
                outputByteCount: 32,
                rounds: Self.rounds,
                blockSize: Self.blockSize,
                parallelism: 1
            )
            return unsafe key.withUnsafeBytes { unsafe Array($0) }
        }
    }

    /// Compares every byte, whatever the first difference.
    private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func id(of name: String) -> RecordID { .derived(from: ContentHasher.digest(Array(name.utf8))) }
}
