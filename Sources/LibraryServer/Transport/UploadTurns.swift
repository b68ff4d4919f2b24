import LibraryAPI
import NIOCore
import Synchronization

/// Lets one request at a time act on an upload, the newest.
///
/// A client that lost its connection asks again before the server has noticed; waiting for the old request would be
/// waiting for a timeout. So a new request closes the connection of the one before, and goes on when that one has let
/// go of the staging file (draft-ietf-httpbis-resumable-upload, section 4.6).
final class UploadTurns: Sendable {
    private final class Turn: Sendable {
        private struct State {
            var isOver = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        let channel: any Channel
        private let state = Mutex(State())

        init(channel: any Channel) {
            self.channel = channel
        }

        func end() {
            let waiting = state.withLock { state in
                state.isOver = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func waitUntilOver() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        }
    }

    private let turns = Mutex<[UploadID: Turn]>([:])

    /// Runs `body` once it is this request's turn.
    func during<Answer>(
        _ upload: UploadID,
        on channel: any Channel,
        body: () async throws -> Answer
    ) async rethrows -> Answer {
        let turn = Turn(channel: channel)
        let previous = turns.withLock { turns in
            defer { turns[upload] = turn }
            return turns[upload]
        }
        defer {
            turns.withLock { turns in
                if turns[upload] === turn { turns[upload] = nil }
            }
            turn.end()
        }
        if let previous {
            previous.channel.close(promise: nil)
            await previous.waitUntilOver()
        }
        return try await body()
    }
}
