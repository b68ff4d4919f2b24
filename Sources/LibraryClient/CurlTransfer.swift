import CCurl
import Synchronization

/// One request in progress; on the driver's thread from `begin` to `end`.
///
/// `@unchecked Sendable`: only the driver's thread touches mutable state, and the transfer is handed to it through the
/// driver's mailbox, which is a lock. `completion` is taken out under a lock, so that it is called once.
@safe
final class CurlTransfer: @unchecked Sendable {
    let identifier: UInt64
    let request: TransportRequest
    private let settings: CurlSettings
    private let completion: Mutex<(@Sendable (Result<TransportResponse, TransportError>) -> Void)?>

    /// The easy handle between `begin` and `end`.
    private(set) var easy: UnsafeMutableRawPointer?
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private var answer = TransportResponse(status: 0)
    private var headerByteCount = 0
    private var sentByteCount: Int64 = 0
    private var cap: Int64?
    private var isStarted = false
    private var failure: TransportError?

    init(
        identifier: UInt64,
        request: TransportRequest,
        settings: CurlSettings,
        completion: @escaping @Sendable (Result<TransportResponse, TransportError>) -> Void
    ) {
        self.identifier = identifier
        self.request = request
        self.settings = settings
        self.completion = Mutex(completion)
    }

    /// Hands the transfer to libcurl; false, and finished, if that fails.
    func begin(in multi: UnsafeMutableRawPointer) -> Bool {
        guard let easy = unsafe curl_easy_init() else {
            finish(.failure(TransportError(.localFailure, "libcurl has no handle left")))
            return false
        }
        unsafe self.easy = easy
        let isConfigured = unsafe configure(easy)
        guard isConfigured, unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
            unsafe end(in: multi, .failure(TransportError(.localFailure, "libcurl rejected the settings")))
            return false
        }
        return true
    }

    /// Returns everything to libcurl and reports the result.
    func end(in multi: UnsafeMutableRawPointer, _ result: Result<TransportResponse, TransportError>) {
        if let easy = unsafe easy {
            unsafe curl_multi_remove_handle(multi, easy)
            unsafe curl_easy_cleanup(easy)
        }
        unsafe curl_slist_free_all(fieldList)
        unsafe (easy, fieldList) = (nil, nil)
        finish(result)
    }

    func finish(_ result: Result<TransportResponse, TransportError>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }

    /// Whether part of the body remains to be sent.
    var isSending: Bool { sentByteCount < request.body.byteCount }

    /// Caps the send rate from now on.
    func capSending(at bytesPerSecond: Int64) {
        guard let easy = unsafe easy, cap != bytesPerSecond else { return }
        cap = bytesPerSecond
        unsafe tt_curl_set_offset(easy, CURLOPT_MAX_SEND_SPEED_LARGE, curl_off_t(bytesPerSecond))
    }

    /// Converts libcurl's result.
    func outcome(_ result: CURLcode) -> Result<TransportResponse, TransportError> {
        if let failure { return .failure(failure) }
        if result == CURLE_OK, answer.status > 0 { return .success(answer) }
        let words = unsafe String(cString: curl_easy_strerror(result))
        let code: TransportError.Code =
            switch result {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY:
                .unreachable
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE:
                .untrusted
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_OUT_OF_MEMORY, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
                .localFailure
            default: .interrupted
            }
        return .failure(TransportError(code, "\(words) (\(settings.origin))"))
    }

    private func configure(_ easy: UnsafeMutableRawPointer) -> Bool {
        var setup = unsafe CurlSetup(easy: easy)
        setup.connection(settings)
        setup.request(request, origin: settings.origin)
        let list = unsafe setup.fields(request.fields)
        unsafe fieldList = list
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let sendsBody = request.method != "GET" && request.method != "HEAD"
        unsafe setup.callbacks(context, sendsBody: sendsBody, isSentOnce: request.isSentOnce)
        return setup.isGood
    }
}

// MARK: libcurl's callbacks, on the driver's thread

extension CurlTransfer {
    /// Begins to send the request; false ends the transfer if it was sent before.
    func start() -> Bool {
        guard !isStarted else {
            return fail(TransportError(.interrupted, "the connection was closed (\(settings.origin))"))
        }
        isStarted = true
        return true
    }

    /// Handles one response header line, or the empty line at its end; false ends the transfer.
    func takeHeader(_ line: [UInt8]) -> Bool {
        headerByteCount += line.count
        guard headerByteCount <= settings.headerByteLimit else {
            return fail(
                TransportError(.answerTooLarge, "the answer's header has more than \(settings.headerByteLimit) bytes")
            )
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            answer = TransportResponse(status: words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0)
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            answer.fields.append((String(text[..<colon]), String(value.prefix { !$0.isNewline })))
        }
        return true
    }

    /// Handles a chunk of the response body; false ends the transfer.
    func takeBody(_ bytes: [UInt8]) -> Bool {
        do {
            if let sink = request.sink, 200..<300 ~= answer.status {
                try sink(bytes)
                return true
            }
        } catch {
            return fail(TransportError(.localFailure, "the answer could not be stored: \(error)"))
        }
        guard answer.body.count + bytes.count <= request.answerByteLimit else {
            return fail(TransportError(.answerTooLarge, "the answer has more than \(request.answerByteLimit) bytes"))
        }
        answer.body += bytes
        return true
    }

    /// The next chunk of the request body; nil ends the transfer.
    func nextBody(_ count: Int) -> [UInt8]? {
        do {
            let wanted = Int(min(Int64(count), request.body.byteCount - sentByteCount))
            let bytes: [UInt8]
            switch request.body {
            case .none: bytes = []
            case .bytes(let all): bytes = Array(all[Int(sentByteCount)..<Int(sentByteCount) + wanted])
            case .source(let source): bytes = wanted > 0 ? try source.read(sentByteCount, wanted) : []
            }
            guard bytes.count <= wanted, wanted == 0 || !bytes.isEmpty else {
                _ = fail(TransportError(.localFailure, "the body ended after \(sentByteCount) bytes"))
                return nil
            }
            sentByteCount += Int64(bytes.count)
            request.progress?(sentByteCount)
            return bytes
        } catch {
            _ = fail(TransportError(.localFailure, "the body could not be read: \(error)"))
            return nil
        }
    }

    /// Seeks in the request body: libcurl resends it on a fresh connection.
    func seekBody(to offset: Int64) -> Bool {
        guard 0...request.body.byteCount ~= offset else { return false }
        sentByteCount = offset
        return true
    }

    private func fail(_ error: TransportError) -> Bool {
        failure = error
        return false
    }
}
