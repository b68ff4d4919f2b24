import Foundation
import Logging
import ObjectStorageTestSupport
import Persistence
import PersistenceTestSupport
import PostgreSQL
import PostgreSQLTestSupport

@testable import LibraryStore

/// One library that two servers have open: rows in PostgreSQL, originals in a bucket, a folder each.
struct SharedLibrary: Sendable {
    let fixture: StoreFixture
    let bucket: FakeObjectStore
    let settings: ConnectionSettings
    let first: LibraryStore
    let second: LibraryStore

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a test with a new library, whose servers have the same settings.
    @discardableResult
    static func run<Value: Sendable>(
        seed: UInt64 = 1,
        settings: LibraryStore.Settings = LibraryStore.Settings(),
        _ body: @Sendable (SharedLibrary) async throws -> Value
    ) async throws -> Value {
        try await FakeObjectStore().run { bucket in
            try await TestServer.withSchemas { make in
                let library = try await SharedLibrary(StoreFixture(seed: seed), bucket, make(), settings)
                defer { for store in [library.first, library.second] { store.close() } }
                return try await body(library)
            }
        }
    }

    private init(
        _ fixture: StoreFixture,
        _ bucket: FakeObjectStore,
        _ settings: ConnectionSettings,
        _ storeSettings: LibraryStore.Settings
    ) async throws {
        self.fixture = fixture
        self.bucket = bucket
        self.settings = settings
        let (one, two) = (fixture.directory.path.appending("one"), fixture.directory.path.appending("two"))
        first = try await LibraryStore.create(
            at: one,
            originals: .bucket(try bucket.client(), readsBack: false),
            metadata: .postgresql(settings),
            effects: fixture.effects,
            settings: storeSettings,
            logger: Self.logger
        )
        // What an administrator does: the first server's folder, on another machine.
        try FileManager.default.copyItem(atPath: one.text, toPath: two.text)
        second = try await LibraryStore.open(
            at: two,
            originals: .bucket(try bucket.client(), readsBack: false),
            metadata: .postgresql(settings),
            effects: fixture.effects,
            settings: storeSettings,
            logger: Self.logger
        )
        try await second.recover()
        for device in [StoreFixture.device, StoreFixture.otherDevice] {
            try await fixture.addDevice(device, to: first)
        }
    }

    /// Runs statements as an administrator of the database.
    func change(_ sql: String) async throws {
        try await ConnectionPool(settings).write(lock: "") { try $0.run(sql) }
    }
}
