import PhotoModel

/// Where a bucket is, and how requests name it.
package struct ObjectStoreLocation: Hashable, Sendable {
    /// How a bucket is named in a request.
    package enum Addressing: String, CaseIterable, Sendable {
        /// As the first part of the path: `https://host/bucket/key`.
        case path
        /// As the first part of the host's name: `https://bucket.host/key`.
        case virtualHost
    }

    /// Whether requests go over TLS.
    package let isSecure: Bool
    /// The host's name or address.
    package let host: String
    /// The port.
    package let port: Int
    /// The region for signatures.
    package let region: String
    /// The bucket.
    package let bucket: String
    /// The prefix of every key; empty, or ending in a slash.
    package let prefix: String
    /// How requests name the bucket.
    package let addressing: Addressing

    /// Parses an endpoint, such as `https://s3.example:9000` without a path, and `bucket` or `bucket/prefix`; nil if
    /// one of them is malformed.
    ///
    /// A region is for example `us-east-1`.
    package init?(endpoint: String, bucket: String, region: String, addressing: Addressing) {
        let schemes = [("https://", true, 443), ("http://", false, 80)]
        guard let (scheme, isSecure, usualPort) = schemes.first(where: { endpoint.hasPrefix($0.0) }) else { return nil }
        var rest = endpoint.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let colon = rest.lastIndex(of: ":").flatMap { rest[$0...].contains("]") ? nil : $0 }
        let host = String(rest[..<(colon ?? rest.endIndex)])
        let port = colon.map { Int(rest[rest.index(after: $0)...]) } ?? usualPort
        guard let port, 1...65_535 ~= port, Self.isHost(host) else { return nil }
        let parts = bucket.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard Self.isBucket(parts[0]), Self.isRegion(region) else { return nil }
        let names = parts.count > 1 ? parts[1].split(separator: "/") : []
        let prefix = names.joined(separator: "/")
        guard prefix.utf8.count <= 200, prefix.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F }),
            !names.contains("."), !names.contains("..")
        else { return nil }
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.region = region
        self.bucket = parts[0]
        self.prefix = prefix.isEmpty ? "" : prefix + "/"
        self.addressing = addressing
    }

    /// The `Host` header, with the port unless it is the scheme's default.
    var authority: String {
        let name = addressing == .virtualHost ? "\(bucket).\(host)" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The encoded path of a key, or of the bucket for an empty key.
    func path(of key: String) -> String {
        let encoded = key.isEmpty ? "" : RequestSignature.encoded(prefix + key, keepingSlashes: true)
        return addressing == .virtualHost ? "/\(encoded)" : key.isEmpty ? "/\(bucket)" : "/\(bucket)/\(encoded)"
    }

    private static func isHost(_ text: String) -> Bool {
        1...253 ~= text.utf8.count
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || Array("-._:[]".utf8).contains($0) }
    }

    private static func isBucket(_ text: String) -> Bool {
        3...63 ~= text.utf8.count && text.utf8.first.map(\.isASCIILetterOrDigit) ?? false
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || Array("-._".utf8).contains($0) }
    }

    private static func isRegion(_ text: String) -> Bool {
        1...63 ~= text.utf8.count && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
    }
}

/// The key that signs requests.
package struct ObjectStoreCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// The key's name.
    package let accessKey: String
    /// The signing secret; never logged, never sent.
    let secretKey: String

    package init(accessKey: String, secretKey: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
    }

    /// The key's name, without its secret.
    package var description: String { "access key \(accessKey)" }

    /// Hides the secret from `dump` and from descriptions of enclosing values.
    package var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }
}
