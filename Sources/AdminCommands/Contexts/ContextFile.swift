import FoundationEssentials
import Persistence
import Terminal

/// The operator's contexts in one private file, as `kubectl` keeps them.
///
/// JSON: `{"current": "home", "contexts": [{"name": "home", "server": "https://…", "authority": "PEM", "certificate":
/// "PEM", "key": "PEM"}, {"name": "here", "socket": "/run/…"}]}`. It holds keys, so it has mode 0600.
struct ContextFile: Sendable {
    /// A file with certificates is a few KiB; anything larger than this is invalid.
    private static let maximumByteCount = 1 << 20

    struct Contents: Hashable, Codable {
        var current: String?
        /// By name.
        var contexts: [AccessContext] = []

        subscript(name: String) -> AccessContext? { contexts.first { $0.name == name } }

        /// Adds a context, replacing any with the same name.
        mutating func set(_ context: AccessContext) {
            contexts.removeAll { $0.name == context.name }
            contexts.append(context)
            contexts.sort { $0.name < $1.name }
        }
    }

    let path: Path
    private let fileSystem: any FileSystem

    /// The file of this user: `TINTYPE_CONFIG`, else `tintype/contexts.json` in the XDG configuration folder.
    init(environment: [String: String], fileSystem: any FileSystem) {
        self.fileSystem = fileSystem
        if let named = environment["TINTYPE_CONFIG"], !named.isEmpty {
            path = Path(named)
        } else {
            // A relative folder must be ignored (XDG Base Directory Specification, section 3).
            let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            path = Path(folder ?? "\(environment["HOME"] ?? "/root")/.config").appending("tintype")
                .appending("contexts.json")
        }
    }

    /// Reads it; a missing file is empty.
    ///
    /// - Throws: `failed` for an unreadable file.
    func load() throws -> Contents {
        do {
            guard let bytes = try fileSystem.readAll(path, maximumByteCount: Self.maximumByteCount) else {
                return Contents()
            }
            return try JSONDecoder().decode(Contents.self, from: Data(bytes))
        } catch let error as PersistenceError {
            throw AdminError("\(path) cannot be read: \(error.message).", next: "make it readable by you alone")
        } catch {
            throw AdminError("\(path) is not a contexts file.", next: "move it away, and add the contexts again")
        }
    }

    /// Rewrites it, readable by the user only.
    func save(_ contents: Contents) throws {
        try fileSystem.createDirectories(path.parent)
        try Self.write(contents, to: path, in: fileSystem)
    }

    /// Writes a value as JSON into a file only its owner may read, atomically.
    static func write(_ value: some Encodable, to path: Path, in fileSystem: any FileSystem) throws {
        let bytes = Array((try Renderer.json(value) + "\n").utf8)
        let temporary = path.parent.appending(".\(path.name).new")
        if try fileSystem.status(temporary) != nil { try fileSystem.unlink(temporary) }
        let file = try fileSystem.open(temporary, .create)
        // Before it has any content.
        try fileSystem.makePrivate(temporary)
        try file.write(bytes[...], at: 0)
        try file.synchronize()
        try file.close()
        try fileSystem.rename(temporary, to: path)
        try fileSystem.synchronizeDirectory(path.parent)
    }
}
