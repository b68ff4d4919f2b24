import LibraryAPI
import ObjectStorageTestSupport
import PhotoModel
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// Uploads whose requests reach several servers of one library.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct SharedUploadTests {
    private static let caller = StoreCaller.device(StoreFixture.device)
    private static let partByteCount = ObjectReception.partByteCount

    @Test(
        "the requests of one upload go to any server, an offset never decreases, and the bytes are those that were sent",
        arguments: environmentNumber("TINTYPE_SEED").map { [$0] } ?? [1, 2, 3]
    )
    func anyServer(seed: UInt64) async throws {
        try await SharedLibrary.run { library in
            var generator = SeededGenerator(seed: seed)
            let size = Self.partByteCount * 2 + 12_345
            let (manifest, bytes) = library.fixture.capture(sizes: [size])
            let upload = try await library.first.create(manifest, by: Self.caller).uploads[0]
            var offset = 0
            var isComplete = false
            while !isComplete {
                let stores = [library.first, library.second].shuffled(using: &generator)
                let steps = [5, 400_000, Self.partByteCount - 3, Self.partByteCount, Self.partByteCount + 7]
                let end = min(offset + (steps.randomElement(using: &generator) ?? 5), size)
                let breaks = offset < size && Int.random(in: 0..<3, using: &generator) == 0
                let content = Pieces([Array(bytes[0][offset..<end])], failure: breaks ? Broken() : nil)
                let code = await errorCode {
                    _ = try await stores[0].append(
                        to: upload.id,
                        at: Int64(offset),
                        isLast: end == size,
                        content: content,
                        by: Self.caller
                    )
                }
                #expect(code == (breaks ? .internalError : nil))
                let told = try await stores[1].status(of: upload.id, by: Self.caller)
                #expect(told.offset == end, "what came before a request broke off is kept")
                (offset, isComplete) = (end, told.isComplete)
            }
            _ = try await library.second.commit(manifest.id, by: Self.caller)
            let open = try await library.first.open(manifest.resources[0].id, of: manifest.id, in: .everything)
            #expect(try await open.read(size, at: 0) == bytes[0])
            #expect(library.bucket.keys.filter { $0.hasPrefix("uploads/") } == [])
            #expect(library.bucket.contents.count == 1)
        }
    }

    @Test(
        "T66: a request on another server ends the older one: what that one brings is refused, and the newer one goes on"
    )
    func turnsAreTaken() async throws {
        try await SharedLibrary.run { library in
            let (manifest, bytes) = library.fixture.capture(sizes: [100])
            let upload = try await library.first.create(manifest, by: Self.caller).uploads[0]
            let (arrived, arriving) = AsyncStream.makeStream(of: Void.self)
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            async let older = errorCode {
                defer { arriving.finish() }
                _ = try await library.first.append(
                    to: upload.id,
                    at: 0,
                    isLast: true,
                    content: Held(bytes[0], arriving, gate),
                    by: Self.caller
                )
            }
            for await _ in arrived { break }
            let status = try await library.second.append(
                to: upload.id,
                at: 0,
                isLast: false,
                content: Pieces([Array(bytes[0][..<60])]),
                by: Self.caller
            )
            #expect(status.offset == 60)
            opening.finish()
            #expect(await older == .uploadSuperseded)
            #expect(library.bucket.contents == [], "the older one made no object")
            try await library.fixture.send(
                bytes[0],
                to: library.first.status(of: upload.id, by: Self.caller),
                by: Self.caller,
                library.first
            )
            _ = try await library.second.commit(manifest.id, by: Self.caller)
            #expect(library.bucket.contents.count == 1)
        }
    }

    @Test("a notice of a newer turn ends a request whose sender is silent, one of its own does not", arguments: [1, 2])
    func noticeOfTurn(turn: Int64) async throws {
        try await SharedLibrary.run { library in
            let (manifest, bytes) = library.fixture.capture(sizes: [100])
            let upload = try await library.first.create(manifest, by: Self.caller).uploads[0]
            let (arrived, arriving) = AsyncStream.makeStream(of: Void.self)
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            async let request = errorCode {
                defer { arriving.finish() }
                _ = try await library.first.append(
                    to: upload.id,
                    at: 0,
                    isLast: true,
                    content: Held(bytes[0], arriving, gate),
                    by: Self.caller
                )
            }
            for await _ in arrived { break }
            await library.first.yieldUpload(upload.id, to: turn)
            // The sender of the newer turn's loser stays silent.
            if turn == 1 { opening.finish() }
            #expect(await request == (turn == 1 ? nil : .uploadSuperseded))
            opening.finish()
        }
    }

    @Test("T66: a record of a turn that is over changes nothing, whatever it says")
    func fence() async throws {
        try await SharedLibrary.run { library in
            let (manifest, _) = library.fixture.capture(sizes: [100])
            let id = try await library.first.create(manifest, by: Self.caller).uploads[0].id
            let older = try await library.first.metadata.takeTurn(of: id, by: Self.caller)
            let newer = try await library.second.metadata.takeTurn(of: id, by: Self.caller)
            #expect(newer.turn == older.turn + 1)
            try await library.second.record(newer.progress(to: 10))
            for step in [older.progress(to: 50), older.progress(to: 100, isComplete: true, copy: "stolen")] {
                #expect(await errorCode { try await library.first.record(step) } == .uploadSuperseded)
            }
            #expect(
                await errorCode { try await library.first.metadata.confirmTurn(of: older) } == .uploadSuperseded
            )
            let row = try await library.first.metadata.upload(id, of: Self.caller)
            #expect(row.durableByteCount == 10 && !row.isComplete && row.copy == nil)
            let stranger = StoreCaller.device(StoreFixture.otherDevice)
            #expect(
                await errorCode { _ = try await library.first.metadata.takeTurn(of: id, by: stranger) } == .notFound
            )
            #expect(try await library.first.metadata.upload(id, of: Self.caller).turn == newer.turn)
        }
    }
}

/// Why a request breaks off.
private struct Broken: Error {}

/// A content that comes, and whose end waits for a gate.
private struct Held: AsyncSequence, Sendable {
    let bytes: [UInt8]
    let arriving: AsyncStream<Void>.Continuation
    let gate: AsyncStream<Void>

    init(_ bytes: [UInt8], _ arriving: AsyncStream<Void>.Continuation, _ gate: AsyncStream<Void>) {
        self.bytes = bytes
        self.arriving = arriving
        self.gate = gate
    }

    struct Iterator: AsyncIteratorProtocol {
        let content: Held
        var isSent = false

        mutating func next() async throws -> [UInt8]? {
            guard isSent else {
                isSent = true
                content.arriving.yield()
                return content.bytes
            }
            for await _ in content.gate {}
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(content: self) }
}
