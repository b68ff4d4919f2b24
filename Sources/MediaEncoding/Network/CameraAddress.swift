package import Capture

/// The address of a network camera or recording; only cameras' protocols reach libavformat.
///
/// libavformat supports protocols, playlists and redirects that read any file or open any connection. Here it gets one
/// kind of address, the protocols and containers this kind needs, and follows no redirect (``MediaInput``).
package struct CameraAddress: Hashable, Sendable, CustomStringConvertible {
    /// The ways to reach a camera.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// RTSP over TCP.
        case rtsp
        /// RTSP over TLS.
        case rtsps
        /// Motion JPEG, or a file, over HTTP.
        case http
        /// The same over TLS.
        case https
        /// A recording on this machine, shown at its own rate.
        case file
    }

    /// The longest address.
    static let longest = 2048

    /// How the camera is reached.
    package let kind: Kind
    /// The URL for libavformat; may contain a password.
    let url: String
    /// The address without user and password, for people and for the camera's identity.
    package let description: String

    /// Parses `rtsp://`, `rtsps://`, `http://`, `https://` or an absolute path.
    ///
    /// - Parameter text: the address; user and password may precede the host.
    /// - Throws: `unsupported` for anything else.
    package init(_ text: String) throws(CaptureError) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw CaptureError(.unsupported, "a camera's address is at most 2048 characters without spaces")
        }
        if text.hasPrefix("/") {
            (kind, url, description) = (.file, "file:" + text, text)
            return
        }
        guard let separator = text.firstRange(of: "://"),
            let kind = Kind(rawValue: text[..<separator.lowerBound].lowercased()), kind != .file
        else {
            throw CaptureError(.unsupported, "a camera's address begins with rtsp, rtsps, http, https or is a path")
        }
        let rest = text[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.isEmpty else {
            throw CaptureError(.unsupported, "a camera's address names a host")
        }
        self.kind = kind
        url = "\(kind.rawValue)://\(rest)"
        description = "\(kind.rawValue)://\(host)\(rest.dropFirst(authority.count))"
    }

    /// The protocols libavformat may open for this address.
    var protocols: String {
        switch kind {
        case .rtsp: "rtsp,rtp,tcp"
        case .rtsps: "rtsps,rtsp,rtp,tls,tcp"
        case .http: "http,tcp"
        case .https: "https,tls,tcp"
        case .file: "file"
        }
    }

    /// The containers libavformat may read from this address; none of them refers to other locations.
    var containers: String {
        switch kind {
        case .rtsp, .rtsps: "rtsp"
        case .http, .https, .file: "mpjpeg,mjpeg,jpeg_pipe,mov,mp4,matroska,webm,avi,mpegts,h264,hevc"
        }
    }

    /// Whether libavformat reads this address by its HTTP client, which follows redirects unless told not to.
    var isHTTP: Bool { kind == .http || kind == .https }

    /// Whether frames arrive at the camera's pace, rather than as fast as they are read.
    var isLive: Bool { kind != .file }
}
