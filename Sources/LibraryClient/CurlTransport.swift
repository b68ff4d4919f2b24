/// HTTP over libcurl: TLS 1.3 with a pinned authority, client certificates, HTTP/2 or kept-alive connections, proxies,
/// bandwidth caps, Unix sockets.
///
/// All transfers run on one dedicated thread, driven by `curl_multi`. Redirects are never followed, credentials never
/// leave the origin, and headers and bodies have hard limits. Dropping the transport ends its thread.
package final class CurlTransport: Transport {
    private let driver: CurlDriver
    private let settings: CurlSettings

    /// Starts a transport; nothing is sent before the first request.
    ///
    /// - Throws: `localFailure` if libcurl or its thread cannot be started.
    package init(_ settings: CurlSettings) throws(TransportError) {
        self.settings = settings
        driver = try CurlDriver(settings)
    }

    /// Loads everything a first connection needs, so that this can run in parallel with other work; blocks for some
    /// milliseconds.
    package static func prepare() { CurlDriver.prepare() }

    deinit { driver.stop() }

    /// Sends a request.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if Task.isCancelled { throw TransportError(.cancelled, "the task was cancelled before anything was sent") }
        let identifier = driver.nextIdentifier()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.start(
                    CurlTransfer(identifier: identifier, request: request, settings: settings) { result in
                        continuation.resume(returning: result)
                    }
                )
            }
        } onCancel: {
            driver.cancel(identifier)
        }
        return try result.get()
    }
}
