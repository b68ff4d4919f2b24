import LibraryClient
import Persistence
import PhotoModel
import Synchronization

/// A transport whose answers a closure gives; a body goes through the request's sink as the real one's does.
final class StubTransport: Transport {
    private let answer: @Sendable (TransportRequest) throws(TransportError) -> TransportResponse
    private let log = Mutex<[String]>([])

    init(_ answer: @escaping @Sendable (TransportRequest) throws(TransportError) -> TransportResponse) {
        self.answer = answer
    }

    /// What was asked for so far.
    var requests: [String] { log.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let range = request.fields.first { $0.name == "Range" }.map { " \($0.value)" } ?? ""
        log.withLock { $0.append("\(request.method) \(request.target)\(range)") }
        var answer = try answer(request)
        guard let sink = request.sink, 200..<300 ~= answer.status else { return answer }
        do {
            try sink(answer.body)
        } catch {
            throw TransportError(.localFailure, "\(error)")
        }
        answer.body = []
        // The rest never comes.
        if answer.field("X-Stall") != nil {
            try? await Task.sleep(for: .seconds(3600))
            throw TransportError(Task.isCancelled ? .cancelled : .timedOut, "stalled")
        }
        // The connection breaks after what was sent.
        if answer.field("X-Cut") != nil { throw TransportError(.interrupted, "cut") }
        return answer
    }
}

extension TransportResponse {
    static func json(_ text: String, status: Int = 200) -> TransportResponse {
        TransportResponse(status: status, fields: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}
