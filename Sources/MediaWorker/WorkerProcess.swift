import CMediaWorker
import Glibc
import Synchronization

/// The server's side of one worker; its calls block, and one thread at a time makes them.
final class WorkerProcess: Sendable {
    /// The worker's confinement.
    let confinement: Confinement
    /// The worker's process identifier.
    let identifier: pid_t
    private let limits: MediaLimits
    private let channel: WorkerChannel
    private let isReaped = Mutex(false)

    /// How long a worker may take to become ready: it loads libraries, possibly on a busy machine.
    private static let startTimeout = Duration.seconds(60)

    /// Starts a worker with limits and waits until it is confined.
    ///
    /// - Throws: `notStarted`.
    init(_ program: String, _ limits: MediaLimits) throws(MediaWorkerError) {
        let pair = try WorkerChannel.Pair()
        let process = try Self.spawn(program, pair.far)
        // Only the worker keeps its end open, so that its death shows as the end of the stream.
        let near = pair.near
        do throws(MediaWorkerError) {
            try near.send(Self.encode(.start(limits)))
            guard let message = try near.receive(timeout: Self.startTimeout),
                case .ready(let confinement)? = try? WorkerMessage.decode(message.bytes, as: WorkerMessage.Reply.self)
            else { throw MediaWorkerError(.notStarted, "it ended before it was ready") }
            self.confinement = confinement
        } catch {
            let status = Self.end(process)
            throw MediaWorkerError(.notStarted, "\(program): \(error.message) (\(status))")
        }
        identifier = process
        self.limits = limits
        channel = near
    }

    deinit { kill() }

    /// Decodes a file to an empty one, both still owned by the caller; the worker's result is unchecked.
    ///
    /// - Throws: `refused`; anything else leaves the worker dead.
    func perform(_ request: MediaRequest, input: Int32, output: Int32) throws(MediaWorkerError) -> MediaResult {
        do throws(MediaWorkerError) {
            try channel.send(Self.encode(.perform(request)), [input, output])
            guard let message = try channel.receive(timeout: .seconds(limits.wallSeconds)) else {
                throw MediaWorkerError(.died, "the worker ended")
            }
            switch try? WorkerMessage.decode(message.bytes, as: WorkerMessage.Reply.self) {
            case .done(let result): return result
            case .failed(let failure):
                throw MediaWorkerError(.refused, failure.message.printable, failure: failure)
            case .ready, nil: throw MediaWorkerError(.protocolBroken, "the worker answers what it was not asked")
            }
        } catch {
            guard error.isFatalToWorker else { throw error }
            let status = kill()
            throw MediaWorkerError(error.code, "\(error.message) (\(status))")
        }
    }

    /// Kills the worker and returns how it ended.
    @discardableResult
    func kill() -> String {
        isReaped.withLock { isReaped in
            guard !isReaped else { return "ended before" }
            isReaped = true
            return Self.end(identifier)
        }
    }

    private static func encode(_ order: WorkerMessage.Order) throws(MediaWorkerError) -> [UInt8] {
        do {
            return try WorkerMessage.encode(order)
        } catch {
            throw MediaWorkerError(.systemFailed, "an order could not be written: \(error)")
        }
    }

    private static func spawn(_ program: String, _ channel: borrowing WorkerChannel) throws(MediaWorkerError) -> pid_t {
        // Nothing of the server's environment: no secret, no path, no crash reporter that would open files.
        let environment = [
            "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=2", "VIPS_CONCURRENCY=1",
            "VIPS_DISC_THRESHOLD=1g",
        ]
        var process: pid_t = 0
        let status = withCStrings([program]) { arguments in
            withCStrings(environment) { environment in
                unsafe tt_spawn(program, arguments, environment, channel.number, &process)
            }
        }
        guard status == 0 else {
            throw MediaWorkerError(.notStarted, "\(program) cannot be started: error \(status)")
        }
        return process
    }

    private static func end(_ process: pid_t) -> String {
        _ = Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        var answer: pid_t
        repeat {
            answer = unsafe waitpid(process, &status, 0)
        } while answer == -1 && errno == EINTR
        guard answer == process else { return "its end was not seen" }
        // The macros of <sys/wait.h> do not import: the low seven bits are the signal, the next byte the exit status.
        let signal = status & 0x7F
        return signal == 0 ? "exit status \(status >> 8 & 0xFF)" : "signal \(signal)"
    }
}

extension String {
    /// At most 200 printable characters of it: a worker's words are not trusted.
    var printable: String {
        String(
            unicodeScalars.lazy.filter { $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F }.prefix(200).map(
                Character.init
            )
        )
    }
}

/// Calls the body with a NULL-terminated array of C strings.
@safe
private func withCStrings<Value>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
}
