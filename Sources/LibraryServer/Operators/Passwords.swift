import Authorization
import CryptoExtras
import Foundation
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Synchronization

/// A stored password (scrypt, RFC 7914).
private struct PasswordDocument: StoredDocument {
    static let kind = RecordKind(rawValue: "operatorPassword")

    let name: String
    let salt: Base64Bytes
    let hash: Base64Bytes
    let rounds: Int
    let blockSize: Int
    let parallelism: Int
}

/// The times of wrong passwords for one name, on any server.
private struct FailureDocument: StoredDocument {
    static let kind = RecordKind(rawValue: "passwordFailures")

    let times: [WallTime]
}

/// Stores operators' passwords, and compares them without revealing whether a name exists.
final class Passwords: Sendable {
    /// 32 MiB and about 0.1 s per guess.
    private static let rounds = 1 << 15
    private static let blockSize = 8
    /// Wrong passwords for one name within ``window`` before all are refused.
    static let maximumFailureCount = 5
    /// How long failures count: 15 minutes.
    static let window = Duration.seconds(900)
    /// Names whose failures are tracked at once.
    private static let maximumNameCount = 10_000

    private let store: any RecordStore
    private let blocking: BlockingPool
    private let now: @Sendable () -> WallTime
    private let guesses = Mutex(Guesses())
    /// One password per address is compared or waits at a time, so that no address makes the others wait.
    private let addresses = AddressConnections(maximumCount: 1)
    /// Whether other servers take guesses for the same names.
    private let isShared: Bool

    /// The guesses for each name: wrong ones with their times, and those in progress.
    private struct Guesses {
        var failures: [String: [WallTime]] = [:]
        var underWay: [String: Int] = [:]
    }

    /// - Parameters:
    ///   - store: the records.
    ///   - isShared: whether other servers take guesses for the same names.
    ///   - blocking: compares one guess at a time, so that guessing costs time, not the server's memory.
    ///   - now: the clock.
    init(
        store: any RecordStore,
        isShared: Bool = false,
        blocking: BlockingPool = BlockingPool(width: 1, maximumWaiting: 32),
        now: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.isShared = isShared
        self.blocking = blocking
        self.now = now
    }

    /// Sets or removes an operator's password.
    ///
    /// - Throws: `request.malformed` for a password of invalid length.
    func set(_ password: String?, of name: String, by administrator: Devices.Administrator) async throws {
        var record: StoredRecord?
        if let password {
            guard OperatorPassword.minimumByteCount...OperatorPassword.maximumByteCount ~= password.utf8.count else {
                throw ProblemDetails(
                    .malformedRequest,
                    "A password has \(OperatorPassword.minimumByteCount) to \(OperatorPassword.maximumByteCount) bytes.",
                    field: "password"
                )
            }
            let salt = RandomSecret.bytes()
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
        let words = "password of \(name) \(kept == nil ? "removed" : "set")"
        let audit = administrator.audit(.policyChange, words, nil)
        _ = try await store.updateRecord(Self.id(of: name), of: PasswordDocument.kind, audit: audit) { _ in kept }
        guesses.withLock { $0.failures[name] = nil }
        if isShared { try await forget(name) }
    }

    /// The salt of an operator's password, which no other has; nil without a password.
    func salt(of name: String) async throws -> Base64Bytes? {
        try await store.record(Self.id(of: name), of: PasswordDocument.kind).map(PasswordDocument.init)?.salt
    }

    /// Whether a password is the operator's.
    ///
    /// - Throws: `slow_down` after too many wrong ones, and while another one from the same address is compared or waits.
    func isRight(_ password: String, of name: String, from address: String?) async throws -> Bool {
        guard password.utf8.count <= OperatorPassword.maximumByteCount, name.utf8.count <= 64 else { return false }
        let network = address.map(AddressNetwork.name(of:))
        if let network, !addresses.enter(network) { throw Self.waiting }
        defer { if let network { addresses.leave(network) } }
        // A guess counts before it is compared, so that concurrent guesses gain nothing over sequential ones.
        guard begin(name) else { throw Self.tooMany }
        var isWrong = false
        defer { end(name, isWrong: isWrong) }
        let counted = isShared ? try await count(name) : nil
        let document = try await store.record(Self.id(of: name), of: PasswordDocument.kind).map(PasswordDocument.init)
        // A name without a password takes as long.
        let salt = document?.salt.bytes ?? Array(name.utf8)
        let found = try await hash(password, salt: salt)
        let isRight = document.map { Self.isEqual(found, $0.hash.bytes) } ?? false
        isWrong = !isRight
        if let counted, isRight { try await forget(name, counted) }
        return isRight
    }

    private static let tooMany = ProblemDetails(.slowDown, "Too many wrong passwords: wait.", retryAfterSeconds: 900)
    private static let waiting = ProblemDetails(
        .slowDown,
        "Another password from this address is being checked: try again.",
        retryAfterSeconds: 1
    )

    /// Counts a guess among those of all servers, as wrong until it proves right.
    private func count(_ name: String) async throws -> WallTime {
        let time = now()
        let since = time.advanced(by: .zero - Self.window)
        _ = try await store.updateRecord(Self.id(of: name), of: FailureDocument.kind, audit: nil) { record in
            let times = try record.map(FailureDocument.init)?.times.filter { $0 > since } ?? []
            guard times.count < Self.maximumFailureCount else { throw Self.tooMany }
            return try Self.record(times + [time], of: name)
        }
        return time
    }

    /// Removes a correct guess from the count, or all guesses.
    private func forget(_ name: String, _ counted: WallTime? = nil) async throws {
        _ = try await store.updateRecord(Self.id(of: name), of: FailureDocument.kind, audit: nil) { record in
            guard let counted, var times = try record.map(FailureDocument.init)?.times,
                let index = times.firstIndex(of: counted)
            else { return counted == nil ? nil : record }
            times.remove(at: index)
            return times.isEmpty ? nil : try Self.record(times, of: name)
        }
    }

    private static func record(_ times: [WallTime], of name: String) throws -> StoredRecord {
        StoredRecord(
            id: id(of: name),
            expires: times.max()?.advanced(by: window),
            document: try FailureDocument(times: times).text()
        )
    }

    private func begin(_ name: String) -> Bool {
        let since = now().advanced(by: .zero - Self.window)
        return guesses.withLock { guesses in
            let failed = guesses.failures[name, default: []].count { $0 > since }
            guard failed + guesses.underWay[name, default: 0] < Self.maximumFailureCount else { return false }
            guesses.underWay[name, default: 0] += 1
            return true
        }
    }

    private func end(_ name: String, isWrong: Bool) {
        let time = now()
        let since = time.advanced(by: .zero - Self.window)
        guesses.withLock { guesses in
            let left = guesses.underWay[name, default: 1] - 1
            guesses.underWay[name] = left > 0 ? left : nil
            guard isWrong else { return }
            if guesses.failures.count >= Self.maximumNameCount {
                guesses.failures = guesses.failures.filter { $0.value.contains { $0 > since } }
            }
            guesses.failures[name] = guesses.failures[name, default: []].filter { $0 > since } + [time]
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

    /// Compares in constant time, wherever the first difference is.
    private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func id(of name: String) -> RecordID { .derived(from: ContentHasher.digest(Array(name.utf8))) }
}
