import Persistence
import PhotoModel

/// Relates a folder's files: sidecars, an export's documents, and edited versions.
struct FolderDocuments {
    /// How osxphotos names the edited form of `IMG_1.HEIC`: `IMG_1_edited.jpeg`.
    private static let appleEdit = Array("_edited".utf8)
    /// Longer documents are not read; in bytes.
    private static let maximumByteCount = 1 << 20

    /// Google's descriptions, in a Takeout's folder.
    var takeout: TakeoutFolder?
    /// Other programs' descriptions, by their documents' names.
    private var contents: [FileName: SidecarContent] = [:]
    /// The originals of edited files, by the edited files' names.
    private(set) var originals: [FileName: FileName] = [:]

    /// Reads the documents of a folder.
    init(_ files: [NamedFile], _ surroundings: Surroundings, in fileSystem: any FileSystem) {
        takeout = TakeoutFolder(files, in: fileSystem)
        originals = takeout?.originals ?? [:]
        guard takeout == nil else { return }
        for file in files {
            switch file.ending {
            case "json":
                let bytes = SidecarContent.bytes(of: file, limit: Self.maximumByteCount, in: fileSystem)
                contents[file.name] = bytes.flatMap { ExifToolDocument(json: $0)?.content }
            case "yml", "yaml":
                contents[file.name] = PhotoPrismStorage.content(file, surroundings.photoPrism, in: fileSystem)
            default: break
            }
        }
        if surroundings.isAppleExport { findAppleOriginals(of: files) }
    }

    /// The title of the folder's album.
    var album: String? { takeout?.album }
    /// Documents of missing files.
    var orphans: [MediaCollection.Remark] {
        (takeout?.open ?? []).map { document in
            let reason = "the photo that it is about is not here: is a part of the export missing?"
            return .init(path: document.statement.file.displayPath, reason: reason)
        }
    }
    /// Their contents that a library has no field for.
    var leftBehind: [MediaCollection.Remark] { takeout?.leftBehind ?? [] }

    /// Whether a file describes another one.
    func isSidecar(_ file: NamedFile) -> Bool {
        file.isSidecar || contents[file.name] != nil || takeout?.documents.contains(file.name) ?? false
    }

    /// Whether an export says that a file is a photo or movie.
    func isItem(_ file: NamedFile) -> Bool { takeout?.statements[file.name] != nil }

    /// The folder's files grouped into possible assets, in the order of the names' bytes.
    func sets(of files: [NamedFile]) -> [[NamedFile]] {
        let stems = Set(files.filter { !isSidecar($0) }.map { Array($0.name.stem) })
        let editKeys = Dictionary(originals.map { (Array($0.key.stem), Array($0.value.stem)) }) { first, _ in first }
        var keys: [FileName: [UInt8]] = [:]
        for file in files where takeout?.documents.contains(file.name) != true {
            let key = takeout?.groupKey(of: file) ?? file.groupKey(isSidecar: isSidecar(file), among: stems)
            keys[file.name] = editKeys[key] ?? key
        }
        for (name, statement) in takeout?.statements ?? [:] where !statement.isShared {
            keys[statement.file.name] = keys[name]
        }
        return Dictionary(grouping: files.filter { keys[$0.name] != nil }) { keys[$0.name] }
            .sorted { ($0.key ?? []).lexicographicallyPrecedes($1.key ?? []) }.map(\.value)
    }

    /// Documents about these files that are not among them.
    func distant(from files: [NamedFile]) -> [NamedFile] {
        files.flatMap { takeout?.statements[$0.name]?.distantDocuments ?? [] }
    }

    /// Whether a still and a movie of one name are a pair; nil if the export does not say.
    func isPair(_ still: NamedFile, _ movie: NamedFile) -> Bool? {
        guard let takeout else { return nil }
        // Google has one document for both; a movie with its own document is separate.
        return takeout.statements[still.name] == nil || takeout.statements[movie.name] == nil
    }

    /// Adds its documents to a group; a program's own document takes precedence over the XMP that it also wrote.
    func attachSidecars(among sidecars: [NamedFile], to group: inout MediaCollection.Group) {
        group.adjustment = Self.sidecar(["aae"], of: group, among: sidecars)
        group.sidecar = Self.sidecar(["xmp"], of: group, among: sidecars)
        if let takeout {
            let files = [group.primary.file, group.movie?.file].compactMap(\.self)
            guard let statement = files.lazy.compactMap({ takeout.statements[$0.name] }).first else { return }
            (group.sidecar, group.told) = (statement.file, statement.content)
        } else if let document = Self.sidecar(["json", "yml", "yaml"], of: group, among: sidecars) {
            (group.sidecar, group.told) = (document, contents[document.name])
        }
    }

    /// Adds its edited forms to a group, and returns those of other groups.
    func attach(_ edits: [MediaFile], to group: inout MediaCollection.Group) -> [MediaFile] {
        edits.filter { edit in
            guard originals[edit.file.name] == group.primary.file.name else { return true }
            let isEdit = edit.kind.type == group.primary.kind.type && group.edit == nil
            let isMovie = edit.kind.type == .video && group.movie != nil && group.editedMovie == nil
            guard isEdit || isMovie else { return true }
            group.editedForms.append(edit)
            return false
        }
    }

    /// What is missing beside a group; nil if it is complete.
    func lack(of group: MediaCollection.Group) -> String? {
        guard takeout != nil, group.sidecar == nil else { return nil }
        return "Google's document about it is not here: its date and words are the file's own"
    }

    /// Whether a sidecar describes one of these groups that already has another one.
    func isAbout(_ sidecar: NamedFile, _ groups: [MediaCollection.Group]) -> Bool {
        groups.contains { group in
            let files = [group.primary] + group.partners
            return files.contains { file in
                if let takeout { return takeout.statements[file.file.name]?.file.name == sidecar.name }
                guard group.told != nil || originals[file.file.name] != nil else { return false }
                return Self.isNamed(sidecar, after: file.file.name)
            }
        }
    }

    private mutating func findAppleOriginals(of files: [NamedFile]) {
        let media = files.filter { !isSidecar($0) }
        let stems = Dictionary(grouping: media) { Array($0.name.stem) }
        for file in media {
            let stem = Array(file.name.stem)
            guard stem.count > Self.appleEdit.count, stem.hasSuffix(Self.appleEdit),
                let candidates = stems[Array(stem.dropLast(Self.appleEdit.count))]
            else { continue }
            // The still's name is the asset's; `IMG_1.mov` beside it is its movie.
            let movies: Set<String> = ["mov", "mp4", "m4v"]
            originals[file.name] = (candidates.first { !movies.contains($0.ending) } ?? candidates.first)?.name
        }
    }

    /// `IMG_1.jpg.xmp` describes only `IMG_1.jpg`, but `IMG_1.xmp` every file with that stem.
    private static func sidecar(
        _ endings: Set<String>,
        of group: MediaCollection.Group,
        among sidecars: [NamedFile]
    ) -> NamedFile? {
        let sidecars = sidecars.filter { endings.contains($0.ending) }
        let name = group.primary.file.name
        let whole = [name, group.raw?.file.name].compactMap(\.self)
        return whole.lazy.compactMap { file in
            sidecars.first { $0.name.stem.asciiLowercased == file.bytes.asciiLowercased }
        }.first ?? sidecars.first { $0.name.stem.asciiLowercased == name.stem.asciiLowercased }
    }

    private static func isNamed(_ sidecar: NamedFile, after file: FileName) -> Bool {
        let stem = sidecar.name.stem.asciiLowercased
        return stem == file.bytes.asciiLowercased || stem == file.stem.asciiLowercased
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool { self[(count - suffix.count)...].elementsEqual(suffix) }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII's capital letters in lower case.
    package var asciiLowercased: [UInt8] { map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }
}
