import LibraryClient
import Synchronization

/// Answers with what a test says, and keeps what was asked.
final class ScriptedTransport: Transport {
    private struct State {
        var answers: [Result<TransportResponse, TransportError>]
        var requests: [TransportRequest] = []
    }

    private let state: Mutex<State>

    init(_ answers: Result<TransportResponse, TransportError>...) {
        state = Mutex(State(answers: answers))
    }

    var requests: [TransportRequest] { state.withLock(\.requests) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { throw TransportError(.localFailure, "the script has ended") }
        return try answer.get()
    }
}

extension RequestBody {
    /// All bytes, as a transport would send them in pieces.
    func all(pieces: Int = 7) throws -> [UInt8] {
        switch self {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .source(let source):
            var bytes: [UInt8] = []
            while Int64(bytes.count) < source.byteCount { bytes += try source.read(Int64(bytes.count), pieces) }
            return bytes
        }
    }
}
