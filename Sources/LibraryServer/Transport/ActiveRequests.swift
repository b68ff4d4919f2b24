import NIOCore
import Synchronization

/// The connections on which callers are being answered, so that a change of their rights can end them.
///
/// Connections that wait for their next request need no entry: that request is judged anew.
final class ActiveRequests: Sendable {
    private struct State {
        var next: UInt64 = 0
        var channels: [Party: [UInt64: any Channel]] = [:]
    }

    private let state = Mutex(State())

    /// Notes that a caller is being answered on a connection.
    ///
    /// - Returns: what ``end(_:of:)`` takes.
    func begin(_ party: Party, on channel: any Channel) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.channels[party, default: [:]][state.next] = channel
            return state.next
        }
    }

    /// Notes that the answer has been given.
    func end(_ number: UInt64, of party: Party) {
        state.withLock { state in
            state.channels[party]?[number] = nil
            if state.channels[party]?.isEmpty == true { state.channels[party] = nil }
        }
    }

    /// Closes every connection on which the caller is being answered, but one.
    func close(_ party: Party, except spared: (any Channel)? = nil) {
        for channel in state.withLock({ $0.channels[party] ?? [:] }).values where channel !== spared {
            channel.close(promise: nil)
        }
    }

    /// How many requests of devices are being answered.
    var deviceCount: Int {
        state.withLock { state in
            state.channels.reduce(0) { count, entry in
                guard case .device = entry.key else { return count }
                return count + entry.value.count
            }
        }
    }
}
