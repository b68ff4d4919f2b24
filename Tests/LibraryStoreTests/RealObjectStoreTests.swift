import Foundation
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import ObjectStorage
import Persistence
import PhotoModel
import Testing

/// The content port's contract over real stores, which `Tests/ObjectStores/run` starts and names.
@Suite(.enabled(if: !RealObjectStore.all.isEmpty, "Tests/ObjectStores/run starts stores and runs this"))
struct RealObjectStoreTests {
    @Test("The content port, over a real store", arguments: RealObjectStore.all, ContentStoreConformance.promises)
    func conformance(store: RealObjectStore, promise: ContentStoreConformance.Promise) async throws {
        let prefix = "run-\(UInt64.random(in: .min ... .max))"
        let report = try await ObjectStoreProbe(try store.client(prefix)).run("probe")
        let suite = ContentStoreConformance {
            let content = ObjectContentStore(try store.client(prefix), readsBack: !report.comparesChecksums) {
                let path = Path(FileManager.default.temporaryDirectory.path).appending("\(prefix)-lent")
                let file = try PosixFileSystem().open(path, .create)
                try PosixFileSystem().unlink(path)
                return file
            }
            try await content.claim(LibraryID(rawValue: 1), isNew: true)
            _ = try await content.recover()
            return content
        }
        try await promise.check(suite)
    }

    @Test("The probe tells a wrong bucket, and a wrong key from a wrong address", arguments: RealObjectStore.all)
    func probes(store: RealObjectStore) async throws {
        await #expect(throws: ObjectStoreProbe.Problem.bucket) {
            _ = try await ObjectStoreProbe(store.client("p", bucket: "nowhere")).run("probe")
        }
        let stranger = ObjectStoreCredentials(accessKey: "stranger", secretKey: "stranger")
        let error = await #expect(throws: ObjectStoreProbe.Problem.self) {
            _ = try await ObjectStoreProbe(store.client("p", credentials: stranger)).run("probe")
        }
        switch error {
        case .credentials, .permission: break
        default: Issue.record("\(store.name): \(String(describing: error))")
        }
    }
}

/// A store that answers on this machine.
struct RealObjectStore: Sendable, CustomTestStringConvertible {
    let name: String
    let endpoint: String

    var testDescription: String { name }

    /// The one that the environment names, as `name=endpoint`; none otherwise.
    static let all = (ProcessInfo.processInfo.environment["OBJECT_STORE"] ?? "").split(separator: " ").map { part in
        let words = part.split(separator: "=", maxSplits: 1).map(String.init)
        return RealObjectStore(name: words[0], endpoint: words.count > 1 ? words[1] : "")
    }

    func client(
        _ prefix: String,
        bucket: String = "photos",
        credentials: ObjectStoreCredentials = .init(accessKey: "test:tester", secretKey: "testing")
    ) throws -> ObjectClient {
        let location = try #require(
            ObjectStoreLocation(
                endpoint: endpoint,
                bucket: "\(bucket)/\(prefix)",
                region: "us-east-1",
                addressing: .path
            )
        )
        return try ObjectClient(location, credentials: credentials) {
            WallTime(microsecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000_000))
        }
    }
}
