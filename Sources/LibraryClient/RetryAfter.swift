import CCurl
import LibraryAPI
import PhotoModel

extension TransportResponse {
    /// Seconds until a retry makes sense (`Retry-After`, RFC 9110, section 10.2.3), 31 days at most; nil if absent.
    ///
    /// A date is relative to the response's own, so that this box's clock may be wrong.
    var retryAfterSeconds: Int? {
        guard let text = field("Retry-After") else { return nil }
        let waits = 0...ProblemDetails.longestRetrySeconds
        if let seconds = Int(text) { return seconds.clamped(to: waits) }
        guard let time = Self.time(text), let now = field("Date").flatMap(Self.time) else { return nil }
        return (time - now).clamped(to: waits)
    }

    /// Seconds since 1970 for a date in any of HTTP's formats (RFC 9110, section 5.6.7).
    private static func time(_ text: String) -> Int? {
        let time = unsafe curl_getdate(text, nil)
        return time < 0 ? nil : time
    }
}
