import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import PhotoModel
import Testing

@testable import LibraryServer

/// A change of rights finds the connection of whoever is being answered, whenever it comes.
struct ActiveRequestsTests {
    private let active = ActiveRequests()
    private let party = Party.device(DeviceID(rawValue: 1))

    @Test("T17: a change that comes while the caller's rights are read closes the connection")
    func whileRightsAreRead() async throws {
        try await withConnection { channel in
            _ = try await active.answering(party, on: channel) {
                // What the gate is about to say may be older than this.
                active.close(party)
                return Response(status: .ok)
            }
            #expect(try await isClosed(channel))
        }
    }

    @Test("T17: a change that comes between an answer and its body closes the connection")
    func beforeTheBody() async throws {
        try await withConnection { channel in
            let answer = try await active.answering(party, on: channel) {
                #expect(active.deviceCount == 1)
                return Response(status: .ok)
            }
            #expect(active.deviceCount == 1)
            active.close(party)
            #expect(try await isClosed(channel))
            try await answer.body.write(NowhereWriter())
            #expect(active.deviceCount == 0)
        }
    }

    @Test("a refusal, an answer that is dropped and one that hangs on no right leave nothing behind to be closed")
    func leavesNothing() async throws {
        try await withConnection { channel in
            await #expect(throws: CancellationError.self) {
                try await active.answering(party, on: channel) { throw CancellationError() }
            }
            _ = try await active.answering(party, on: channel) { Response(status: .ok) }
            #expect(active.deviceCount == 0)
            _ = try await active.answering(nil, on: channel) {
                #expect(active.deviceCount == 0)
                return Response(status: .ok)
            }
            active.close(party)
            let isClosed = try await isClosed(channel)
            #expect(!isClosed)
        }
    }

    /// Runs `body` with something that can be closed.
    private func withConnection(_ body: (any Channel) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0)
            .get()
        do {
            try await body(channel)
        } catch {
            try? await channel.close().get()
            throw error
        }
        try? await channel.close().get()
    }

    /// Whether a connection is closed, after its loop has done what it was told until now.
    private func isClosed(_ channel: any Channel) async throws -> Bool {
        try await channel.eventLoop.submit {}.get()
        return !channel.isActive
    }
}

/// Takes a body, which nobody reads.
private struct NowhereWriter: ResponseBodyWriter {
    func write(_ buffer: ByteBuffer) async throws {}

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
