import LibraryAPI
import LibraryStore
import PhotoModel

/// The request for an archive.
///
/// Nothing else is stored: the contents are looked up at each download.
struct ArchiveDocument: StoredDocument {
    static let kind = RecordKind(rawValue: "archive")

    let request: ArchiveRequest
    /// When it was made.
    let created: WallTime
    /// When it is forgotten.
    let expires: WallTime

    /// Metadata stripped from every file.
    var strip: Set<MetadataPart> { Set(request.strip ?? []) }
}

/// The files of an archive, from the assets that its caller may see now.
struct ArchivePlan: Sendable {
    struct File: Sendable {
        let asset: AssetID
        let resource: AssetResource
        /// Whether it is converted to JPEG first.
        let isConverted: Bool
        let name: String
        let time: CivilTime
        let key: ArchiveSums.Key
    }

    private(set) var files: [File] = []
    private var taken: Set<String> = []
    /// The next number to try for each base name, so that planning takes linear time.
    private var numbers: [String: Int] = [:]

    /// Assets read at once.
    private static let readCount = 100

    /// Plans an archive of assets, in their order.
    init(_ assets: [Asset], _ document: ArchiveDocument) {
        for asset in assets { add(asset, document) }
    }

    /// Plans an archive of the requested assets that the caller sees, in the requested order.
    ///
    /// - Parameters:
    ///   - document: the request.
    ///   - read: reads some of its assets. It is called for a part at a time, because each asset may have a quarter of a
    ///     megabyte of texts, which a plan does not keep.
    /// - Throws: what reading throws.
    init(_ document: ArchiveDocument, reading read: ([AssetID]) async throws -> [Asset]) async throws {
        self.init([], document)
        var rest = document.request.assets[...]
        while !rest.isEmpty {
            for asset in try await read(Array(rest.prefix(Self.readCount))) { add(asset, document) }
            rest = rest.dropFirst(Self.readCount)
        }
    }

    private mutating func add(_ asset: Asset, _ document: ArchiveDocument) {
        let resources = document.request.form == .jpeg ? asset.shownFiles : asset.originals
        guard let first = resources.first else { return }
        // Files of one asset share a base name, by which other programs pair them.
        let base = free(ServedFile.baseName(of: first.originalFilename?.displayText), for: resources, document)
        for (index, resource) in resources.enumerated() {
            let isConverted = document.converts(resource)
            let isTwin = index > 0 && resources[0].suffix.lowercased() == resource.suffix.lowercased()
            let name = "\(base)\(isTwin ? " 2" : "").\(document.suffix(of: resource))"
            taken.insert(name.lowercased())
            files.append(
                File(
                    asset: asset.id,
                    resource: resource,
                    isConverted: isConverted,
                    name: document.strip.contains(.location) ? name.withoutLocation : name,
                    time: asset.civilCaptureTime,
                    key: ArchiveSums.Key(
                        digest: resource.digest,
                        form: (isConverted ? "jpeg" : "") + document.strip.tagSuffix
                    )
                )
            )
        }
    }

    /// A name that no other file has, ignoring case.
    private mutating func free(_ base: String, for resources: [AssetResource], _ document: ArchiveDocument) -> String {
        func isFree(_ name: String) -> Bool {
            resources.allSatisfy { !taken.contains("\(name).\(document.suffix(of: $0))".lowercased()) }
        }
        if isFree(base) { return base }
        var number = numbers[base.lowercased()] ?? 2
        while !isFree("\(base) (\(number))") { number += 1 }
        numbers[base.lowercased()] = number + 1
        return "\(base) (\(number))"
    }
}

extension ArchiveDocument {
    /// Whether a file is converted to JPEG.
    fileprivate func converts(_ resource: AssetResource) -> Bool { request.form == .jpeg && resource.becomesJPEG }

    /// The extension of a file's name in the archive.
    fileprivate func suffix(of resource: AssetResource) -> String { converts(resource) ? "JPG" : resource.suffix }
}

extension Asset {
    /// Every original.
    fileprivate var originals: [AssetResource] {
        let order: [AssetResourceType] = [.photo, .video, .audio, .alternatePhoto, .pairedVideo]
        return order.flatMap { type in resources.filter { $0.type == type } }
    }

    /// The displayed files: the edited picture or movie if there is one.
    fileprivate var shownFiles: [AssetResource] {
        let order: [AssetResourceType] = [.fullSizePhoto, .photo, .fullSizeVideo, .video, .audio, .alternatePhoto]
        return order.lazy.compactMap { type in resources.first { $0.type == type } }.first.map { [$0] } ?? []
    }
}

extension AssetResource {
    /// Whether it is a picture other than a JPEG.
    fileprivate var becomesJPEG: Bool { contentType.hasPrefix("image/") && contentType != "image/jpeg" }

    /// Its file name's extension as it is written there, else that of its media type.
    fileprivate var suffix: String {
        let name = originalFilename?.displayText ?? ""
        if let dot = name.lastIndex(of: "."), dot != name.startIndex {
            let suffix = name[name.index(after: dot)...]
            if 1...8 ~= suffix.count, suffix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
                return String(suffix)
            }
        }
        return ServedFile.fileExtension(of: contentType)
    }
}
