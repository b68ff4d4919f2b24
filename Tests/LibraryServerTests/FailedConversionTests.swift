import Foundation
import LibraryAPI
import LibraryStore
import MediaWorker
import Persistence
import PhotoModel
import Testing

@testable import LibraryServer

/// What cannot be converted costs one worker at most, however often it is asked for.
struct FailedConversionTests {
    private static let hostileWorker = Bundle.main.bundleURL.appending(path: "hostile-worker").path

    @Test("An original that kills a worker, or is refused, is given to a worker once; others are converted")
    func remembered() async throws {
        try await RunningServer.run { server in
            let store = server.environment.store
            let library = URL(filePath: server.socketPath).deletingLastPathComponent()
            let threads = BlockingPool(width: 1)
            let pool = MediaWorkerPool(
                program: Self.hostileWorker,
                blocking: { try await threads.run($0) },
                now: LibraryServer.stopwatch()
            )
            defer { pool.stop() }
            let derivatives = DerivativeStore(LibraryLayout(root: Path(library.path)), in: PosixFileSystem())
            let generator = DerivativeGenerator(store: store, derivatives: derivatives, pool: pool)
            let device = try await TestDevice.enroll(at: server)
            func save(_ order: String) async throws -> ContentAddress {
                let photo = try TestPhoto(bytes: Array(order.utf8))
                _ = try await device.call(server) { try await $0.save(photo) }
                return try #require(try await store.metadata.content(photo.resource.digest)).address
            }
            func convert(_ address: ContentAddress) async throws -> [UInt8] {
                try await generator.makeJPEG(of: address, isMovie: false, with: pool)
            }
            let (deadly, refused) = (try await save("crash"), try await save("refuse"))
            for address in [deadly, refused] {
                for _ in 0..<3 {
                    await #expect(throws: MediaWorkerError.self) { try await convert(address) }
                }
            }
            #expect(pool.counts.died == 1 && pool.counts.refused == 1, "\(pool.counts)")
            let other = try await save("other order")
            #expect(try await convert(other) == [0xFF, 0xD8, 0xFF, 0xD9])
            generator.failures.forget()
            await #expect(throws: MediaWorkerError.self) { try await convert(refused) }
            #expect(pool.counts.refused == 2, "an operator may have it tried again")
        }
    }

    @Test("So many failures are remembered at most, and only those that are the original's fault")
    func bounded() async throws {
        let failures = FailedConversions(maximumCount: 2)
        let digests = ([1, 2, 3] as [UInt8]).map { ContentHasher.digest([$0]) }
        let missing = try #require(await failure(of: "/nowhere/worker"))
        failures.note(missing, of: digests[0])
        try failures.check(digests[0])
        let broken = try #require(await failure(of: Self.hostileWorker))
        for digest in digests { failures.note(broken, of: digest) }
        #expect(digests.count { (try? failures.check($0)) == nil } == 2)
        #expect(throws: broken) { try failures.check(digests[2]) }
    }

    @Test("Who asks again and again for what kills workers is answered at once, and others are not kept waiting")
    func answered() async throws {
        let flags = ["media.workers=1", "media.program=\(Self.hostileWorker)"]
        try await RunningServer.run(flags: flags) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await server.withOperator { try await $0.send("POST", "/v1/admin/jobs/pause") }
            try await device.call(server) { client in
                let deadly = try TestPhoto(bytes: Array("crash".utf8))
                let other = try TestPhoto(bytes: Array("other order".utf8))
                for photo in [deadly, other] { _ = try await client.save(photo) }
                // Were a worker lost each time, the next would soon be started after half a minute only: 503.
                for _ in 0..<20 {
                    let answer = try await client.send("GET", deadly.conversion)
                    #expect(answer.status == 404)
                    #expect(try answer.json(ProblemDetails.self).code == .derivativeUnavailable)
                }
                let answer = try await client.send("GET", other.conversion)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.body == [0xFF, 0xD8, 0xFF, 0xD9])
            }
        }
    }

    @Test("What the queue has given up is not tried for a conversion, also after a restart")
    func givenUp() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestPhoto(bytes: Array("refuse".utf8))
        let hostile = ["media.workers=1", "media.program=\(Self.hostileWorker)"]
        var saver: TestDevice?
        try await RunningServer.run(in: folder.path, flags: hostile) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            saver = device
            _ = try await device.call(server) { try await $0.save(photo) }
            try await server.withOperator { admin in
                try await eventually {
                    try await admin.send("GET", "/v1/admin/jobs?state=dead").json(JobPage.self).jobs.count == 1
                }
            }
        }
        let device = try #require(saver)
        let missing = ["media.workers=1", "media.program=/nowhere/worker"]
        try await RunningServer.run(in: folder.path, flags: missing) { server in
            try await device.call(server) { client in
                let known = try await client.send("GET", photo.conversion)
                #expect(try known.json(ProblemDetails.self).code == .derivativeUnavailable)
                #expect(known.text.contains("No picture can be made"), "words for people: \(known.text)")
                let other = try TestPhoto(bytes: Array("other order".utf8))
                _ = try await client.save(other)
                #expect(try await client.send("GET", other.conversion).status == 503, "a worker is wanted for this one")
            }
        }
    }

    /// How a program fails as a worker, that gets a file with a deadly order.
    private func failure(of program: String) async -> MediaWorkerError? {
        let threads = BlockingPool(width: 1)
        let pool = MediaWorkerPool(
            program: program,
            blocking: { try await threads.run($0) },
            now: LibraryServer.stopwatch()
        )
        defer { pool.stop() }
        do {
            _ = try await pool.perform(MediaRequest(.jpeg, of: .still)) {
                try OwnedDescriptor.inMemory("order", holding: Array("crash".utf8))
            }
            return nil
        } catch {
            return error as? MediaWorkerError
        }
    }
}

extension TestPhoto {
    /// Where it is had as a JPEG that is made of it.
    fileprivate var conversion: String { "/v1/assets/\(manifest.id)/resources/\(resource.id)?as=jpeg" }
}
