import HTTPTypes
import Hummingbird
import LibraryAPI
import NIOCore
import PhotoModel

/// The web page: documents that browsers always revalidate, and files that they cache forever.
///
/// A file's address contains the digest of all files. The modules import each other by relative names, which the
/// browser resolves against that address, so that a page never mixes the files of two versions and needs no build step.
struct WebPage: Sendable {
    /// Only the page's own files run, nothing is fetched from other hosts, only named origins may frame it, and no text
    /// becomes markup or a script (Content Security Policy Level 3; Trusted Types).
    static func securityPolicy(framedBy origins: [WebOrigin] = []) -> String {
        let ancestors = origins.isEmpty ? "'none'" : origins.map(\.description).joined(separator: " ")
        return """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; \
            form-action 'self'; base-uri 'none'; frame-ancestors \(ancestors); require-trusted-types-for 'script'
            """
    }

    private let files: WebFiles
    /// The documents by name, each also in every coding.
    private let documents: [String: Document]

    private struct Document {
        let bytes: [UInt8]
        let compressed: [ContentCoding: [UInt8]]
        let embedders: [WebOrigin]
    }

    /// - Parameters:
    ///   - files: the files to serve.
    ///   - mapLink: the map that a photo's coordinates link to.
    ///   - embedders: the pages that may frame the picker, and receive its events.
    init(files: WebFiles = .own, mapLink: MapLink? = nil, embedders: [WebOrigin] = []) {
        self.files = files
        var documents: [String: Document] = [:]
        for (name, origins) in [("index.html", []), ("login.html", []), ("pick.html", embedders)] {
            let text = String(decoding: files[name]?.bytes ?? [], as: UTF8.self)
                .replacing("{version}", with: files.version)
                .replacing("{mapLink}", with: (mapLink?.description ?? "").replacing("&", with: "&amp;"))
                .replacing("{embedders}", with: origins.map(\.description).joined(separator: " "))
            let bytes = Array(text.utf8)
            var compressed: [ContentCoding: [UInt8]] = [:]
            for coding in ContentCoding.allCases { compressed[coding] = coding.compress(bytes, .answer) }
            documents[name] = Document(bytes: bytes, compressed: compressed, embedders: origins)
        }
        self.documents = documents
    }

    /// The digest of all files, in their addresses.
    var version: String { files.version }

    /// A document, with the version in the addresses of its files; empty if there is no such document.
    func document(_ name: String, _ coding: ContentCoding?) -> Response {
        let document = documents[name]
        return response(
            document?.bytes ?? [],
            coding: coding,
            compressed: coding.flatMap { document?.compressed[$0] },
            contentType: "text/html; charset=utf-8",
            cacheControl: "no-cache",
            framedBy: document?.embedders ?? []
        )
    }

    /// A file of this version.
    ///
    /// - Throws: `object.not_found` for an unknown file, or another version's.
    func file(_ name: String, version: String, _ coding: ContentCoding?) throws -> Response {
        guard version == self.version, let file = files[name], !name.hasSuffix(".html") else {
            throw ProblemDetails(.notFound, "The page has no such file: reload the page.")
        }
        return response(
            file.bytes,
            coding: coding,
            compressed: coding.flatMap { files.compressed(name, $0) },
            contentType: file.contentType,
            cacheControl: "public, max-age=31536000, immutable",
            isDocument: file.isDocument
        )
    }

    private func response(
        _ bytes: [UInt8],
        coding: ContentCoding?,
        compressed: [UInt8]?,
        contentType: String,
        cacheControl: String,
        framedBy origins: [WebOrigin] = [],
        isDocument: Bool = true
    ) -> Response {
        var response = Response(
            bytes,
            coding,
            compressed: compressed,
            headers: [.contentType: contentType, .cacheControl: cacheControl, .xContentTypeOptions: "nosniff"]
        )
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { response.headers[name] = "same-origin" }
        guard isDocument else { return response }
        response.headers[.contentSecurityPolicy] = Self.securityPolicy(framedBy: origins)
        for (name, value) in Self.isolation {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        // For browsers without frame-ancestors; it cannot name allowed origins (RFC 7034).
        if origins.isEmpty, let name = HTTPField.Name("X-Frame-Options") { response.headers[name] = "DENY" }
        return response
    }

    /// Isolates the page from other origins, sends them no referrer, and denies the browser's sensors.
    private static let isolation = [
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ("Referrer-Policy", "no-referrer"),
    ]
}
