import MediaFormats
import Persistence
import PhotoModel

/// A folder of a Google Takeout: relates documents to files, and files to each other.
///
/// A photo's document is beside it. The movie of a Live Photo (`IMG_1.MP4`, `PXL_1.MP`) and an edited version
/// (`IMG_1-edited.jpg`) have none: the photo's also describes them. Files of one name have a document each, unless that
/// name was truncated in it: then one document describes all of them.
struct TakeoutFolder {
    /// Google's description of a file.
    struct Statement {
        /// The document.
        let file: NamedFile
        /// Its contents.
        var content: SidecarContent
        /// Whether the document is beside another file that it also describes.
        var isShared = false
        /// Documents in the folders of albums that the file is not in.
        var memberships: [NamedFile] = []

        /// The documents that are not among the files with the described file's name.
        var distantDocuments: [NamedFile] { memberships + (isShared ? [file] : []) }
    }

    /// A document whose file is not known yet.
    struct Document {
        let name: TakeoutName
        let isCut: Bool
        let statement: Statement
    }

    /// Longer documents are not read; in bytes.
    private static let maximumByteCount = 1 << 20

    /// The title of the folder's album; nil for a year's photos.
    private(set) var album: String?
    /// The descriptions of files, by their names.
    var statements: [FileName: Statement] = [:]
    /// The originals of edited files, by the edited files' names.
    private(set) var originals: [FileName: FileName] = [:]
    /// The parsed documents, whether or not their files are here.
    private(set) var documents: Set<FileName> = []
    /// Documents of missing files.
    var open: [Document] = []
    /// Its contents that albums have no field for.
    private(set) var leftBehind: [MediaCollection.Remark] = []
    private var fileNames: Set<[UInt8]> = []
    private var stems: Set<[UInt8]> = []

    /// Reads the documents of a folder; nil if no document is Google's.
    init?(_ files: [NamedFile], in fileSystem: any FileSystem) {
        let candidates = files.filter { $0.ending == "json" }
        guard !candidates.isEmpty else { return nil }
        var found: [Document] = []
        var albums: [(file: NamedFile, document: TakeoutDocument)] = []
        for file in candidates {
            guard let document = Self.document(file, in: fileSystem) else { continue }
            if document.isItem, let (name, isCut) = TakeoutName.document(file.name.displayText) {
                documents.insert(file.name)
                let statement = Statement(file: file, content: document.content)
                found.append(Document(name: name, isCut: isCut, statement: statement))
            } else if document.isAlbum {
                albums.append((file, document))
            }
        }
        guard !found.isEmpty else { return nil }
        if let (file, document) = albums.first {
            album = document.title
            documents.insert(file.name)
            leftBehind = document.albumLeftBehind.map { .init(path: file.displayPath, reason: $0) }
        }
        let media = files.filter { $0.ending != "json" }
        fileNames = Set(media.map(\.name.bytes))
        stems = Set(media.map { Array($0.name.stem) })
        match(found, with: media)
        findOriginals(of: media)
    }

    /// The common stem of an asset's files.
    func groupKey(of file: NamedFile) -> [UInt8]? {
        if let original = originals[file.name] { return Array(original.stem) }
        // `PXL_1.MP` is the movie of `PXL_1.MP.jpg`.
        return stems.contains(file.name.bytes) ? file.name.bytes : nil
    }

    private static func document(_ file: NamedFile, in fileSystem: any FileSystem) -> TakeoutDocument? {
        SidecarContent.bytes(of: file, limit: maximumByteCount, in: fileSystem).flatMap { TakeoutDocument(json: $0) }
    }

    /// Matches documents with files, exact names first: truncated names and other extensions get what is left.
    private mutating func match(_ documents: [Document], with media: [NamedFile]) {
        var index = NameIndex(media)
        open = documents
        var cut: [TakeoutName: Statement] = [:]
        for rule in NameIndex.Rule.allCases {
            open = open.filter { document in
                guard let file = index.take(document.name, isCut: document.isCut, by: rule) else { return true }
                statements[file] = document.statement
                let name = TakeoutName(file: file.displayText)
                let isCutInside = rule == .cut && name.withoutEnding.base.hasPrefix(document.name.base)
                if isCutInside { cut[name] = document.statement }
                return false
            }
        }
        for file in media where statements[file.name] == nil {
            guard var shared = cut[TakeoutName(file: file.name.displayText).withoutNumber] else { continue }
            shared.isShared = true
            statements[file.name] = shared
        }
    }

    /// Finds files without a document that are edited versions of files with one.
    private mutating func findOriginals(of media: [NamedFile]) {
        var known: [TakeoutName: FileName] = [:]
        for file in media where statements[file.name] != nil {
            known[TakeoutName(file: file.name.displayText).withoutEnding] = file.name
        }
        for file in media where statements[file.name] == nil {
            guard let name = TakeoutName(file: file.name.displayText).original else { continue }
            originals[file.name] = known[name]
        }
    }
}

/// A folder's files by every form of their names that a document may use.
private struct NameIndex {
    /// How a document's name leads to a file, most reliable first.
    enum Rule: CaseIterable {
        /// The exact name.
        case whole
        /// The name with its number where documents have theirs.
        case numbered
        /// A name truncated in the document.
        case cut
        /// A name without an extension in Google Photos.
        case withoutEnding
        /// A name with another extension than the file's.
        case otherEnding
        /// The name of an original of which only an edited version is here.
        case edited
    }

    private var whole: [String: FileName] = [:]
    private var numbered: [TakeoutName: FileName] = [:]
    private var stems: [TakeoutName: [FileName]] = [:]
    private var edits: [TakeoutName: [FileName]] = [:]
    /// Files with long names, in the order of the names.
    private var long: [(name: TakeoutName, file: FileName)] = []
    private var taken: Set<FileName> = []

    init(_ files: [NamedFile]) {
        for file in files {
            let text = file.name.displayText
            let name = TakeoutName(file: text)
            whole[text] = file.name
            numbered[name] = file.name
            stems[name.withoutEnding, default: []].append(file.name)
            if let original = name.original { edits[original, default: []].append(file.name) }
            if name.base.utf16.count >= 45 { long.append((name, file.name)) }
        }
        long.sort { $0.name.base < $1.name.base }
    }

    /// The file that a document describes by one rule; it is taken from then on.
    mutating func take(_ name: TakeoutName, isCut: Bool, by rule: Rule) -> FileName? {
        let found: FileName? =
            switch rule {
            case .whole: name.number == nil ? whole[name.base] : nil
            case .numbered: numbered[name]
            case .cut: isCut ? file(beginningWith: name) : nil
            case .withoutEnding: only(stems[name])
            case .otherEnding: only(stems[name.withoutEnding])
            case .edited: only(edits[name.withoutEnding])
            }
        guard let found, taken.insert(found).inserted else { return nil }
        return found
    }

    /// The only file without a document; nil if there are several.
    private func only(_ files: [FileName]?) -> FileName? {
        guard let files else { return nil }
        let free = files.filter { !taken.contains($0) }
        return free.count == 1 ? free[0] : nil
    }

    /// The only file with a long name that begins like a truncated one.
    private func file(beginningWith name: TakeoutName) -> FileName? {
        var (low, high) = (0, long.count)
        while low < high {
            let middle = (low + high) / 2
            if long[middle].name.base < name.base { low = middle + 1 } else { high = middle }
        }
        let candidates = long[low...].prefix { $0.name.base.hasPrefix(name.base) }
        return only(candidates.prefix(64).filter { $0.name.number == name.number }.map(\.file))
    }
}
