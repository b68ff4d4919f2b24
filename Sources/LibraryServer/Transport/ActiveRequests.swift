import NIOCore
import PhotoModel
import Synchronization

/// The connections on which devices are being answered, so that a change of a device's rights can end them.
///
/// Connections that wait for their next request need no entry: that request is judged anew.
final class ActiveRequests: Sendable {
    private struct State {
        var next: UInt64 = 0
        var channels: [DeviceID: [UInt64: any Channel]] = [:]
    }

    private let state = Mutex(State())

    /// Notes that a device is being answered on a connection.
    ///
    /// - Returns: what ``end(_:of:)`` takes.
    func begin(_ device: DeviceID, on channel: any Channel) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.channels[device, default: [:]][state.next] = channel
            return state.next
        }
    }

    /// Notes that the answer has been given.
    func end(_ number: UInt64, of device: DeviceID) {
        state.withLock { state in
            state.channels[device]?[number] = nil
            if state.channels[device]?.isEmpty == true { state.channels[device] = nil }
        }
    }

    /// Closes every connection on which the device is being answered, but one.
    func close(_ device: DeviceID, except spared: (any Channel)? = nil) {
        for channel in state.withLock({ $0.channels[device] ?? [:] }).values where channel !== spared {
            channel.close(promise: nil)
        }
    }

    /// How many requests of devices are being answered.
    var count: Int { state.withLock { $0.channels.values.reduce(0) { $0 + $1.count } } }
}
