import CFFmpeg
import Glibc

/// Ends libavformat's calls that are interrupted, and an opening that a camera redirects.
///
/// libavformat's RTSP client has no option against redirects. It stores the new URL in its context, connects, and asks
/// whether it is interrupted before it sends anything.
@safe
final class OpeningWatch {
    /// Ends a call on request or after its time limit.
    let interruption: Interruption
    private let url: String
    /// The context while it is being opened: later it may be freed before its connection is closed.
    private var context: UnsafeMutablePointer<AVFormatContext>?
    /// Whether the camera redirected.
    private(set) var isRedirected = false

    /// Creates a watch over a context's opening; the context must live until ``end()``.
    init(_ interruption: Interruption, _ context: UnsafeMutablePointer<AVFormatContext>?, url: String) {
        self.interruption = interruption
        unsafe self.context = unsafe context
        self.url = url
    }

    /// Ends the watch over redirects, after the opening succeeded or failed.
    func end() { unsafe context = nil }

    /// Whether the current call must end; asked by libavformat on the thread that called it.
    var isDue: Bool {
        if let current = unsafe context?.pointee.url, unsafe strcmp(current, url) != 0 { isRedirected = true }
        return isRedirected || interruption.isDue
    }
}
