import CMediaWorker

/// A worker's whole life: confine, then answer one request after the other until the server closes its end.
package enum MediaWorkerProgram {
    /// Where the server put the worker's end of the socket.
    private static let socket: Int32 = 3

    /// Runs a worker.
    ///
    /// - Parameter decoder: what it does with files.
    /// - Returns: the exit status: 0 when the server closed its end, 64 when nobody of that protocol is there.
    package static func run(_ decoder: (some MediaDecoder).Type) -> Int32 {
        let channel = WorkerChannel(OwnedDescriptor(socket))
        guard let limits = limits(from: channel) else { return 64 }
        var decoder = decoder.init()
        do {
            try reply(.ready(.enter(limits)), on: channel)
            while let message = try channel.receive(timeout: nil) {
                guard
                    case .perform(let request)? = try? WorkerMessage.decode(message.bytes, as: WorkerMessage.Order.self),
                    let input = message.first, let output = message.second
                else { return 65 }
                // The server counts too; this holds when the server is gone.
                _ = tt_limit_processor_time(UInt64(clamping: limits.processorSeconds))
                _ = tt_limit_wall_time(UInt32(clamping: limits.wallSeconds + 1))
                let answer: WorkerMessage.Reply
                do {
                    answer = .done(try decoder.perform(request, within: limits, input: input, output: output))
                } catch {
                    answer = .failed(error)
                }
                _ = tt_limit_wall_time(0)
                try reply(answer, on: channel)
            }
        } catch {
            return 74
        }
        return 0
    }

    private static func limits(from channel: borrowing WorkerChannel) -> MediaLimits? {
        guard let message = try? channel.receive(timeout: nil),
            case .start(let limits)? = try? WorkerMessage.decode(message.bytes, as: WorkerMessage.Order.self)
        else { return nil }
        return limits
    }

    private static func reply(_ reply: WorkerMessage.Reply, on channel: borrowing WorkerChannel) throws {
        try channel.send(try WorkerMessage.encode(reply))
    }
}
