import CCurl

/// Configures one easy handle, option by option; the corresponding C function is `curl_easy_setopt`.
///
/// Safe because it lives within `CurlTransfer.begin`, which owns the handle.
@safe
struct CurlSetup {
    private let easy: UnsafeMutableRawPointer
    /// Whether libcurl accepted every option.
    private(set) var isGood = true

    init(easy: UnsafeMutableRawPointer) { unsafe self.easy = easy }

    /// Trust, identity, proxy, time limits: the connection's options.
    mutating func connection(_ settings: CurlSettings) {
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        number(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(settings.connectTimeout))
        number(CURLOPT_LOW_SPEED_LIMIT, 16)
        number(CURLOPT_LOW_SPEED_TIME, max(1, milliseconds(settings.stallTimeout) / 1000))
        number(CURLOPT_TCP_KEEPALIVE, 1)
        number(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        // An empty text disables proxies; nil would take them from the environment.
        text(CURLOPT_PROXY, settings.proxy ?? "")
        switch settings.trust {
        case .socketFile(let path):
            text(CURLOPT_PROTOCOLS_STR, "http")
            text(CURLOPT_UNIX_SOCKET_PATH, path)
        case .pinned(let authority):
            verified(true)
            blob(CURLOPT_CAINFO_BLOB, authority)
        case .machine: verified(true)
        case .unencrypted: text(CURLOPT_PROTOCOLS_STR, "http")
        case .anybody: verified(false)
        }
        if let identity = settings.identity {
            text(CURLOPT_SSLCERTTYPE, "PEM")
            blob(CURLOPT_SSLCERT_BLOB, identity.certificateChain)
            text(CURLOPT_SSLKEYTYPE, "PEM")
            blob(CURLOPT_SSLKEY_BLOB, identity.key)
        }
    }

    /// Method, address and length.
    mutating func request(_ request: TransportRequest, origin: ServerOrigin) {
        text(CURLOPT_URL, origin.description + request.target)
        number(CURLOPT_PATH_AS_IS, 1)
        if let timeout = request.timeout { number(CURLOPT_TIMEOUT_MS, milliseconds(timeout)) }
        switch request.method {
        case "GET": number(CURLOPT_HTTPGET, 1)
        case "HEAD": number(CURLOPT_NOBODY, 1)
        default:
            number(CURLOPT_UPLOAD, 1)
            offset(CURLOPT_INFILESIZE_LARGE, request.body.byteCount)
            text(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    /// Sets the header fields; the list lives as long as the transfer.
    mutating func fields(_ fields: [(name: String, value: String)]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        // Without this libcurl waits up to a second for "100 Continue" before sending a longer body.
        unsafe list = curl_slist_append(nil, "Expect:")
        for field in fields {
            let line = "\(field.name): \(field.value)"
            // A line break would let a value add fields of its own.
            guard !line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }),
                let longer = unsafe curl_slist_append(list, line)
            else {
                isGood = false
                continue
            }
            unsafe list = longer
        }
        unsafe check(tt_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
        return unsafe list
    }

    /// Sets libcurl's callbacks, with the transfer as their context.
    mutating func callbacks(_ context: UnsafeMutableRawPointer, sendsBody: Bool, isSentOnce: Bool) {
        unsafe check(tt_curl_set_pointer(easy, CURLOPT_HEADERDATA, context))
        unsafe check(
            tt_curl_set_transfer(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                unsafe CurlSetup.deliver(bytes, size * count, context) { $0.takeHeader($1) }
            }
        )
        unsafe check(tt_curl_set_pointer(easy, CURLOPT_WRITEDATA, context))
        unsafe check(
            tt_curl_set_transfer(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                unsafe CurlSetup.deliver(bytes, size * count, context) { $0.takeBody($1) }
            }
        )
        if isSentOnce { unsafe onlyOnce(context) }
        guard sendsBody else { return }
        unsafe check(tt_curl_set_pointer(easy, CURLOPT_READDATA, context))
        unsafe check(
            tt_curl_set_transfer(easy, CURLOPT_READFUNCTION) { bytes, size, count, context in
                guard let bytes = unsafe bytes, let context = unsafe context else { return tt_curl_read_abort }
                let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                guard let next = transfer.nextBody(size * count) else { return tt_curl_read_abort }
                unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: next, byteCount: next.count)
                return next.count
            }
        )
        unsafe check(tt_curl_set_pointer(easy, CURLOPT_SEEKDATA, context))
        unsafe check(
            tt_curl_set_seek(easy) { context, offset, origin in
                guard let context = unsafe context, origin == 0 else { return tt_curl_seek_fail }
                let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.seekBody(to: Int64(offset)) ? tt_curl_seek_ok : tt_curl_seek_fail
            }
        )
    }

    /// Has libcurl ask before it sends: it sends again by itself if a used connection is closed before an answer.
    private mutating func onlyOnce(_ context: UnsafeMutableRawPointer) {
        unsafe check(tt_curl_set_pointer(easy, CURLOPT_PREREQDATA, context))
        unsafe check(
            tt_curl_set_start(easy) { context, _, _, _, _ in
                guard let context = unsafe context else { return tt_curl_start_abort }
                let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.start() ? tt_curl_start_ok : tt_curl_start_abort
            }
        )
    }

    /// Copies the bytes from libcurl; returning a different count ends the transfer.
    private static func deliver(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ take: (CurlTransfer, [UInt8]) -> Bool
    ) -> Int {
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        return take(transfer, copy) ? count : count &+ 1
    }

    private mutating func verified(_ isVerified: Bool) {
        text(CURLOPT_PROTOCOLS_STR, "https")
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
        number(CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
        number(CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
        // Otherwise the system's authorities would be trusted besides the pinned one.
        unsafe check(tt_curl_set_text(easy, CURLOPT_CAINFO, nil))
        unsafe check(tt_curl_set_text(easy, CURLOPT_CAPATH, nil))
    }

    private mutating func number(_ option: CURLoption, _ value: Int) {
        unsafe check(tt_curl_set_long(easy, option, value))
    }

    private mutating func offset(_ option: CURLoption, _ value: Int64) {
        unsafe check(tt_curl_set_offset(easy, option, curl_off_t(value)))
    }

    private mutating func text(_ option: CURLoption, _ value: String) {
        unsafe check(tt_curl_set_text(easy, option, value))
    }

    private mutating func blob(_ option: CURLoption, _ value: String) {
        let bytes = Array(value.utf8)
        unsafe check(tt_curl_set_blob(easy, option, bytes, bytes.count))
    }

    private mutating func check(_ code: CURLcode) {
        if code != CURLE_OK { isGood = false }
    }

    private func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
