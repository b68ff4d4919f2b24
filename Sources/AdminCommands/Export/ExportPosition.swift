import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel
import Terminal

/// How far a mirror has followed the library, beside its ledger.
struct ExportPosition: Codable {
    private static let fileName = ".tintype-export-position.json"

    /// Where the feed continues; nil starts with the whole library.
    var token: ChangeToken?
    /// What the mirror exports; a different request starts over.
    private let question: String
    /// Assets with files that could not be written, to be retried.
    var pending: Set<AssetID> = []

    /// Reads the position of a folder; one for other options is ignored.
    init(of folder: Path, _ options: FetchOptions, in fileSystem: any FileSystem) throws {
        let asked = "\(ContentHasher.digest(Array(try Renderer.compactJSON(options).utf8)))"
        let bytes = try fileSystem.readAll(folder.appending(Self.fileName), maximumByteCount: 64 << 20)
        let found = bytes.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
        question = asked
        guard let found, found.question == asked else { return }
        (token, pending) = (found.token, found.pending)
    }

    /// Makes the position durable.
    func save(in folder: Path, _ fileSystem: any FileSystem) throws {
        try fileSystem.writeAtomically(folder.appending(Self.fileName), Array(try Renderer.compactJSON(self).utf8))
    }
}
