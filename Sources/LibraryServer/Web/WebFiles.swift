import Persistence
import PhotoModel

/// The page's files as served, and compressed.
struct WebFiles: Sendable {
    /// The files embedded in this program.
    static let own = WebFiles(WebFile.all)

    /// The digest of all files as served; part of their addresses.
    let version: String
    private let files: [String: WebFile]
    private let gzip: [String: [UInt8]]
    /// Compressed in the background from the server's start on; an earlier request waits for it.
    private let brotli: Task<[String: [UInt8]], Never>

    init(_ files: [WebFile]) {
        let served = files.map(\.served)
        self.files = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        gzip = self.files.compactMapValues { ContentCoding.gzip.compress($0.bytes, .once) }
        brotli = Task { [files = self.files] in
            var made: [String: [UInt8]] = [:]
            for file in files.values {
                made[file.name] = ContentCoding.brotli.compress(file.bytes, .once)
                await Task.yield()
            }
            return made
        }
        var everything: [UInt8] = []
        for file in served { everything += Array(file.name.utf8) + [0] + file.bytes }
        version = String(ContentHasher.digest(everything).description.prefix(16))
    }

    subscript(name: String) -> WebFile? { files[name] }

    /// A file's bytes in a coding; nil if that makes them no shorter.
    func compressed(_ name: String, _ coding: ContentCoding) async -> [UInt8]? {
        switch coding {
        case .brotli: await brotli.value[name]
        case .gzip: gzip[name]
        }
    }
}
