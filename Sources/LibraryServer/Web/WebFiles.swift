import Persistence
import PhotoModel
import Synchronization

/// The page's files as served, and compressed.
final class WebFiles: Sendable {
    /// The files embedded in this program.
    static let own = WebFiles(WebFile.all)

    /// The digest of all files as served; part of their addresses.
    let version: String
    private let files: [String: WebFile]
    private let gzip: [String: [UInt8]]
    /// The files that have been compressed at Brotli's best quality; nil before the first request for one.
    ///
    /// All of them take most of a second, which a server that nobody browses does not spend.
    private let brotli = Mutex<[String: [UInt8]]?>(nil)

    init(_ files: [WebFile]) {
        let served = files.map(\.served)
        self.files = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        gzip = self.files.compactMapValues { ContentCoding.gzip.compress($0.bytes, .once) }
        var everything: [UInt8] = []
        for file in served { everything += Array(file.name.utf8) + [0] + file.bytes }
        version = String(ContentHasher.digest(everything).description.prefix(16))
    }

    subscript(name: String) -> WebFile? { files[name] }

    /// A file's bytes in a coding; nil if that makes them no shorter.
    ///
    /// The first request for Brotli starts compressing all files at the best quality; until that is done, callers get a
    /// quick one.
    func compressed(_ name: String, _ coding: ContentCoding) -> [UInt8]? {
        guard coding == .brotli else { return gzip[name] }
        let (isFirst, best) = brotli.withLock { made in
            defer { made = made ?? [:] }
            return (made == nil, made?[name])
        }
        if isFirst { Task { await compressAll() } }
        return best ?? files[name].flatMap { ContentCoding.brotli.compress($0.bytes, .answer) }
    }

    private func compressAll() async {
        for file in files.values {
            if let bytes = ContentCoding.brotli.compress(file.bytes, .once) {
                brotli.withLock { $0?[file.name] = bytes }
            }
            await Task.yield()
        }
    }
}
