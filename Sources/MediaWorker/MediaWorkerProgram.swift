import CMediaWorker

/// The life of a worker: confine, then answer requests until the server closes its end.
package enum MediaWorkerProgram {
    /// The descriptor of the worker's end of the socket, set by the server.
    private static let socket: Int32 = 3

    /// Runs a worker, and returns the exit status: 0 once the server closed its end, 64 if there is no server.
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
                // The server enforces this too; this limit holds if the server is gone.
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
