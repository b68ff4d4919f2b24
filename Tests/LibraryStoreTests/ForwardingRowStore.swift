import LibraryAPI
import Persistence
import PhotoModel

@testable import LibraryStore

/// Rows reached through others, of which a test observes or alters some transactions; the rest is forwarded.
protocol ForwardingRowStore: RowStore {
    var rows: any RowStore { get }
}

extension ForwardingRowStore {
    var signals: any LibrarySignals { rows.signals }
    var readerCount: Int { rows.readerCount }

    func duties(isShared: Bool, now: @escaping @Sendable () -> WallTime) -> any LibraryDuties {
        rows.duties(isShared: isShared, now: now)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await rows.read(body)
    }

    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value {
        try rows.writeBlocking(locks, body)
    }

    func guardHistory(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch) {
        rows.guardHistory(begin)
    }

    func refreshPlans() async throws { try await rows.refreshPlans() }

    func copy(to path: Path) async throws { try await rows.copy(to: path) }
}
