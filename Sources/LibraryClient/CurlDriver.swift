import CCurl
import Glibc
import Synchronization

/// The thread that drives all transfers of one transport.
///
/// Commands go through a mailbox. `curl_multi_wakeup` is the only libcurl call made by other threads, and under the
/// mailbox's lock, so that the handle exists.
final class CurlDriver: Sendable {
    private enum Command {
        case start(CurlTransfer)
        case cancel(UInt64)
        case stop
    }

    /// The multi handle; its bits may cross threads, its target belongs to the driver's thread.
    @safe
    private struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// Nil once the thread has ended.
        var handle: Handle?
        var lastIdentifier: UInt64 = 0
    }

    private let mailbox = Mutex(Mailbox())
    private let sendBytesPerSecond: Int64?

    private static let isLibraryReady: Bool = tt_curl_global_start() == CURLE_OK

    /// Loads everything a first connection needs; blocks for some milliseconds.
    static func prepare() {
        guard isLibraryReady else { return }
        tt_tls_prepare()
    }

    init(_ settings: CurlSettings) throws(TransportError) {
        sendBytesPerSecond = settings.sendBytesPerSecond
        guard Self.isLibraryReady, let multi = unsafe curl_multi_init() else {
            throw TransportError(.localFailure, "libcurl cannot be started")
        }
        unsafe tt_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.maximumConnections)
        unsafe tt_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.maximumConnections)
        mailbox.withLock { unsafe $0.handle = Handle(pointer: multi) }
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread,
            nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<CurlDriver>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            context
        )
        guard status == 0 else {
            unsafe Unmanaged<CurlDriver>.fromOpaque(context).release()
            unsafe curl_multi_cleanup(multi)
            throw TransportError(.localFailure, "no thread for transfers: error \(status)")
        }
        pthread_detach(thread)
    }

    /// A unique number for a transfer.
    func nextIdentifier() -> UInt64 {
        mailbox.withLock { mailbox in
            mailbox.lastIdentifier += 1
            return mailbox.lastIdentifier
        }
    }

    func start(_ transfer: CurlTransfer) {
        if !post(.start(transfer)) {
            transfer.finish(.failure(TransportError(.cancelled, "the transport was stopped")))
        }
    }

    func cancel(_ identifier: UInt64) { _ = post(.cancel(identifier)) }

    func stop() { _ = post(.stop) }

    private func post(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard let handle = mailbox.handle else { return false }
            mailbox.commands.append(command)
            unsafe curl_multi_wakeup(handle.pointer)
            return true
        }
    }

    private func run() {
        guard let multi = unsafe mailbox.withLock({ unsafe $0.handle?.pointer }) else { return }
        var transfers: [UInt64: CurlTransfer] = [:]
        var cancelledEarly: Set<UInt64> = []
        var isRunning = true
        while isRunning {
            for command in takeCommands() {
                switch command {
                case .start(let transfer):
                    if cancelledEarly.remove(transfer.identifier) != nil {
                        transfer.finish(.failure(.taskCancelled))
                    } else if unsafe transfer.begin(in: multi) {
                        transfers[transfer.identifier] = transfer
                    }
                case .cancel(let identifier):
                    if let transfer = transfers.removeValue(forKey: identifier) {
                        unsafe transfer.end(in: multi, .failure(.taskCancelled))
                    } else {
                        cancelledEarly.insert(identifier)
                    }
                case .stop: isRunning = false
                }
            }
            shareOut(transfers)
            var running: Int32 = 0
            unsafe curl_multi_perform(multi, &running)
            unsafe collect(multi, &transfers)
            if transfers.isEmpty, cancelledEarly.count > 1024 { cancelledEarly.removeAll() }
            if isRunning { unsafe curl_multi_poll(multi, nil, 0, 1000, nil) }
        }
        for transfer in transfers.values {
            unsafe transfer.end(in: multi, .failure(TransportError(.cancelled, "the transport was stopped")))
        }
        let late = mailbox.withLock { mailbox in
            mailbox.handle = nil
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
        for case .start(let transfer) in late {
            transfer.finish(.failure(TransportError(.cancelled, "the transport was stopped")))
        }
        unsafe curl_multi_cleanup(multi)
    }

    /// Divides the send cap among the sending transfers: libcurl only caps single transfers.
    private func shareOut(_ transfers: [UInt64: CurlTransfer]) {
        guard let sendBytesPerSecond else { return }
        let senders = transfers.values.filter(\.isSending)
        for sender in senders { sender.capSending(at: max(1, sendBytesPerSecond / Int64(senders.count))) }
    }

    private func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
    }

    /// Ends transfers that libcurl reports as done.
    private func collect(_ multi: UnsafeMutableRawPointer, _ transfers: inout [UInt64: CurlTransfer]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            let result = unsafe tt_curl_message_result(message)
            guard let transfer = transfers.values.first(where: { unsafe $0.easy == easy }) else { continue }
            transfers[transfer.identifier] = nil
            let outcome = transfer.outcome(result)
            unsafe transfer.end(in: multi, outcome)
        }
    }
}

extension TransportError {
    static let taskCancelled = TransportError(.cancelled, "the task was cancelled")
}
