import Crypto
import PhotoModel

/// Signs requests with AWS Signature Version 4.
///
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
struct RequestSignature {
    /// The signed parts of a request.
    struct Request {
        let method: String
        /// The path, encoded.
        let path: String
        /// The query, unsorted and not encoded.
        let query: [(name: String, value: String)]
        /// The signed header fields, names in lower case; `host`, the date and the digest are added.
        let headers: [(name: String, value: String)]
        /// SHA-256 of the body.
        let bodyDigest: ContentDigest
    }

    let credentials: ObjectStoreCredentials
    let region: String
    let host: String
    let time: WallTime

    /// The header fields of the signed request, without `host`.
    func headers(for request: Request) -> [(name: String, value: String)] {
        let signed =
            (request.headers + [
                ("host", host), ("x-amz-content-sha256", request.bodyDigest.description), ("x-amz-date", stamp),
            ]).sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let canonical = [
            request.method, request.path, Self.query(request.query),
            signed.map { "\($0.0):\($0.1)\n" }.joined(), names, request.bodyDigest.description,
        ].joined(separator: "\n")
        let day = String(stamp.prefix(8))
        let scope = "\(day)/\(region)/s3/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(ContentDigest(of: Array(canonical.utf8)))"
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [day, region, "s3", "aws4_request"] { key = Self.authenticated(part, by: key) }
        let signature = HexadecimalText.text(Self.authenticated(text, by: key))
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        return signed.filter { $0.0 != "host" } + [("authorization", authorization)]
    }

    /// `20130524T000000Z`.
    private var stamp: String {
        String(time.description.prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" }) + "Z"
    }

    private static func authenticated(_ text: String, by key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }

    /// The query, sorted and encoded, as it is signed and sent.
    static func query(_ query: [(name: String, value: String)]) -> String {
        let pairs: [(String, String)] = query.map { (encoded($0.name), encoded($0.value)) }
        let sorted = pairs.sorted { left, right in left.0 == right.0 ? left.1 < right.1 : left.0 < right.0 }
        return sorted.map { name, value in "\(name)=\(value)" }.joined(separator: "&")
    }

    /// Percent-encodes everything but letters, digits and `-._~`.
    static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
        guard keepingSlashes else { return PercentEncoding.encode(text) }
        return text.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0) }.joined(separator: "/")
    }
}
