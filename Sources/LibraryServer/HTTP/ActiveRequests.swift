import Hummingbird
import LibraryStore
import NIOCore
import Synchronization

/// Tracks connections with a request in progress, so that a change of the caller's rights can close them.
///
/// A caller is recorded from before its rights are read until its response is written, so that every change it did not
/// see finds the connection. Idle connections need no entry: their next request is checked again.
final class ActiveRequests: Sendable {
    private struct State {
        var next: UInt64 = 0
        var channels: [Party: [UInt64: any Channel]] = [:]
    }

    /// Records a caller for the lifetime of the response; dropping it unwritten, as for HEAD, ends it too.
    private final class Entry: Sendable {
        private let requests: ActiveRequests
        private let party: Party
        private let number: UInt64

        init(_ party: Party, on channel: any Channel, in requests: ActiveRequests) {
            self.requests = requests
            self.party = party
            number = requests.begin(party, on: channel)
        }

        deinit { end() }

        func end() { requests.end(number, of: party) }
    }

    private let state = Mutex(State())

    /// Answers a caller on a connection.
    ///
    /// - Parameters:
    ///   - party: the party whose right the response depends on; nil if it cannot be revoked.
    ///   - channel: the connection, closed by a change of that right.
    ///   - isValid: whether the caller's credential is still valid; asked before each part of the body.
    ///   - answer: reads the caller's rights and responds; a stream's body is written after it returns.
    /// - Returns: the response, which keeps the caller recorded until its body is written.
    /// - Throws: what `answer` throws; nothing stays recorded then.
    func answering(
        _ party: Party?,
        on channel: any Channel,
        while isValid: @escaping @Sendable () -> Bool = { true },
        _ answer: () async throws -> Response
    ) async throws -> Response {
        guard let party else { return try await answer() }
        let entry = Entry(party, on: channel, in: self)
        var response = try await answer()
        let body = response.lasting(while: isValid).body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { entry.end() }
            try await body.write(writer)
        }
        return response
    }

    private func begin(_ party: Party, on channel: any Channel) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.channels[party, default: [:]][state.next] = channel
            return state.next
        }
    }

    private func end(_ number: UInt64, of party: Party) {
        state.withLock { state in
            state.channels[party]?[number] = nil
            if state.channels[party]?.isEmpty == true { state.channels[party] = nil }
        }
    }

    /// Closes every connection on which the caller is being answered, except one.
    func close(_ party: Party, except spared: (any Channel)? = nil) {
        for channel in state.withLock({ $0.channels[party] ?? [:] }).values where channel !== spared {
            channel.close(promise: nil)
        }
    }

    /// The number of devices' requests in progress.
    var deviceCount: Int {
        state.withLock { state in
            state.channels.reduce(0) { count, entry in
                guard case .device = entry.key else { return count }
                return count + entry.value.count
            }
        }
    }
}

extension Response {
    /// The same response, which ends before the first part of its body at which it is no longer valid.
    func lasting(while isValid: @escaping @Sendable () -> Bool) -> Response {
        var response = self
        let body = body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            let valid = writer.map { buffer in
                // Closes the connection, so that the client sees that the rest is missing.
                guard isValid() else { throw CancellationError() }
                return buffer
            }
            try await body.write(valid)
        }
        return response
    }
}
