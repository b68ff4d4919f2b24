import HTTPTypes
import Hummingbird
import LibraryAPI
import NIOCore
import Persistence
import PhotoModel

/// The web page: documents that browsers always revalidate, and files that they cache for ever.
///
/// A file's address holds the digest of all files together. The modules name each other by plain relative names, which
/// the browser resolves against that address, so that a page never mixes the files of two versions and needs no build.
struct WebPage: Sendable {
    /// Nothing runs but the page's own files, nothing is fetched from elsewhere, nobody frames it who is not named, and no
    /// text becomes markup or a script (Content Security Policy Level 3; Trusted Types).
    static func securityPolicy(framedBy origins: [WebOrigin] = []) -> String {
        let ancestors = origins.isEmpty ? "'none'" : origins.map(\.description).joined(separator: " ")
        return """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; \
            form-action 'self'; base-uri 'none'; frame-ancestors \(ancestors); require-trusted-types-for 'script'
            """
    }

    /// The digest of all files as they are served, in the addresses.
    let version: String
    private let files: [String: WebFile]
    /// The files, compressed for clients that accept gzip.
    private let compressed: [String: [UInt8]]

    private let mapLink: MapLink?

    init(files: [WebFile] = WebFile.all, mapLink: MapLink? = nil) {
        self.mapLink = mapLink
        let served = files.map(\.served)
        self.files = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        compressed = self.files.compactMapValues { Gzip.compress($0.bytes, .once) }
        var everything: [UInt8] = []
        for file in served { everything += Array(file.name.utf8) + [0] + file.bytes }
        version = String(ContentHasher.digest(everything).description.prefix(16))
    }

    /// A document, with the version in the addresses of its files.
    ///
    /// - Parameters:
    ///   - name: the file.
    ///   - origins: pages that may show it in a frame, and are told what happens there.
    ///   - takesGzip: whether the caller decodes gzip.
    /// - Returns: the document; empty if there is no such file.
    func document(_ name: String, framedBy origins: [WebOrigin] = [], takesGzip: Bool = false) -> Response {
        let text = String(decoding: files[name]?.bytes ?? [], as: UTF8.self)
            .replacing("{version}", with: version)
            .replacing("{mapLink}", with: (mapLink?.description ?? "").replacing("&", with: "&amp;"))
            .replacing("{embedders}", with: origins.map(\.description).joined(separator: " "))
        let bytes = Array(text.utf8)
        return response(
            bytes,
            compressed: takesGzip ? Gzip.compress(bytes, .answer) : nil,
            contentType: "text/html; charset=utf-8",
            cacheControl: "no-cache",
            framedBy: origins
        )
    }

    /// A file of this version.
    ///
    /// - Parameters:
    ///   - name: the file.
    ///   - version: the digest in its address.
    ///   - takesGzip: whether the caller decodes gzip.
    /// - Returns: the file.
    /// - Throws: `object.not_found` for another one, or another version's.
    func file(_ name: String, version: String, takesGzip: Bool = false) throws -> Response {
        guard version == self.version, let file = files[name], !name.hasSuffix(".html") else {
            throw ProblemDetails(.notFound, "The page has no such file: load the page again.")
        }
        return response(
            file.bytes,
            compressed: takesGzip ? compressed[name] : nil,
            contentType: file.contentType,
            cacheControl: "public, max-age=31536000, immutable",
            isDocument: file.isDocument
        )
    }

    private func response(
        _ bytes: [UInt8],
        compressed: [UInt8]?,
        contentType: String,
        cacheControl: String,
        framedBy origins: [WebOrigin] = [],
        isDocument: Bool = true
    ) -> Response {
        var response = Response(
            status: .ok,
            headers: [
                .contentType: contentType, .cacheControl: cacheControl, .xContentTypeOptions: "nosniff",
                .vary: "Accept-Encoding",
            ],
            body: .init(byteBuffer: ByteBuffer(bytes: compressed ?? bytes))
        )
        if compressed != nil { response.headers[.contentEncoding] = "gzip" }
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { response.headers[name] = "same-origin" }
        guard isDocument else { return response }
        response.headers[.contentSecurityPolicy] = Self.securityPolicy(framedBy: origins)
        for (name, value) in Self.isolation {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        // Older than frame-ancestors, and unable to name anybody (RFC 7034).
        if origins.isEmpty, let name = HTTPField.Name("X-Frame-Options") { response.headers[name] = "DENY" }
        return response
    }

    /// No other origin sees the page, is told where somebody came from, or is allowed the browser's sensors.
    private static let isolation = [
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ("Referrer-Policy", "no-referrer"),
    ]
}
