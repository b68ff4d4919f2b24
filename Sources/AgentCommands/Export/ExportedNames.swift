import Capture
import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel

/// The names of one asset's files in its folder.
///
/// A file keeps the exact bytes of its original name. One without a name is named after the others, so that a still,
/// its movie and its sidecars still share a stem, which makes them one photo wherever they are imported; if none had a
/// name, the stem is the capture time.
struct ExportedNames: Hashable, Sendable {
    /// Other files in the folder, permanent or temporary.
    static let manifest = "manifest.json"
    static let temporary = ".tintype-export.part"

    /// A resource and its name.
    struct File: Hashable, Sendable {
        /// The resource.
        let resource: AssetResource
        /// Its name.
        let name: FileName
    }

    /// In resource order.
    private(set) var files: [File] = []
    /// The name of an XMP sidecar.
    private(set) var sidecar: FileName?

    /// Uses an asset's original names, and derives matching ones.
    init(_ manifest: AssetManifest) {
        let primary = manifest.resources.first { $0.type.isPrimary && $0.originalFilename != nil }
        let named = primary ?? manifest.resources.first { $0.originalFilename != nil }
        let stem = named?.originalFilename.map { Array($0.stem) } ?? Self.plainStem(of: manifest)
        self.init(manifest, stem: stem, keepsNames: true)
    }

    /// Names of letters and digits that every file system accepts, for one that refuses the original ones.
    static func plain(_ manifest: AssetManifest) -> Self {
        Self(manifest, stem: plainStem(of: manifest), keepsNames: false)
    }

    private init(_ manifest: AssetManifest, stem: [UInt8], keepsNames: Bool) {
        // Memory sticks and cards (FAT, exFAT) are case-insensitive.
        var taken: Set<[UInt8]> = [Self.manifest.utf8.asciiLowercased, Self.temporary.utf8.asciiLowercased]
        // Original names first: they take precedence over generated ones.
        var names: [ResourceID: FileName] = [:]
        for resource in manifest.resources where keepsNames {
            guard let name = resource.originalFilename, taken.insert(name.bytes.asciiLowercased).inserted
            else { continue }
            names[resource.id] = name
        }
        for resource in manifest.resources where names[resource.id] == nil {
            for number in 1...(manifest.resources.count + 2) {
                let mark = resource.type.exportMark + (number == 1 ? "" : "-\(number)")
                let ending = Array("\(mark).\(resource.exportEnding)".utf8)
                let fitting = stem.prefix(FileName.maximumByteCount - ending.count)
                guard let name = FileName(bytes: fitting + ending), taken.insert(name.bytes.asciiLowercased).inserted
                else { continue }
                names[resource.id] = name
                break
            }
        }
        files = manifest.resources.compactMap { resource in
            names[resource.id].map { File(resource: resource, name: $0) }
        }
        let photo = files.first { $0.resource.type.isPrimary } ?? files.first
        let sidecars = [photo?.name.bytes, photo.map { Array($0.name.stem) }].compactMap(\.self)
            .compactMap { FileName(bytes: $0 + Array(".xmp".utf8)) }
        sidecar = sidecars.first { !taken.contains($0.bytes.asciiLowercased) }
    }

    private static func plainStem(of manifest: AssetManifest) -> [UInt8] {
        Array(CaptureResult.stem(of: manifest.captureTime).utf8)
    }
}

extension AssetResourceType {
    /// The mark in a generated name: only originals have the bare stem.
    fileprivate var exportMark: String {
        switch self {
        case .photo, .video, .audio, .pairedVideo, .alternatePhoto, .adjustmentData: ""
        case .fullSizePhoto, .fullSizeVideo, .fullSizePairedVideo: "-edited"
        default: "-\(rawValue)"
        }
    }
}

extension AssetResource {
    fileprivate var exportEnding: String {
        type == .adjustmentData ? "AAE" : ContentAddress.fileExtension(of: contentType)
    }
}
