import LibraryAPI
import MediaFiles
import MediaFormats
import PhotoModel

/// The files of one exported asset.
struct ExportPlan {
    /// The source of a file's bytes.
    enum Source: Hashable {
        /// A resource, whose digest is known in advance.
        case resource(AssetResource)
        /// A Live Photo as a single file, with its size limit in bytes.
        case motionPhoto(maximumByteCount: Int64)
        /// People's texts about the asset.
        case sidecar([UInt8])
    }

    /// One file: its suffix after the base name, and its bytes.
    struct File: Hashable {
        let suffix: String
        let source: Source
    }

    /// More than what joins a still and its movie takes, in bytes.
    private static let motionPhotoOverhead: Int64 = 1 << 20

    /// The primary file first.
    let files: [File]

    /// Plans an asset's files.
    ///
    /// A Live Photo becomes a still and a movie with one base name, as Apple Photos and Immich pair them; an edited
    /// version goes beside its original, as do Apple's edit instructions (AAE), under the name that Apple's programs
    /// expect.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - isMotionPhoto: whether a Live Photo becomes a single file, if its still's format can hold a movie.
    ///   - hasSidecar: whether people's texts go into a sidecar.
    init(_ asset: Asset, isMotionPhoto: Bool, hasSidecar: Bool) {
        var files: [File] = []
        let primary = asset.primaryResource
        let still = asset.resources.first { $0.type == .photo }
        let isMotion = isMotionPhoto && asset.isLivePhoto && still?.canHoldMovie ?? false
        if isMotion, let still {
            let parts = asset.resources.filter { $0.type == .photo || $0.type == .pairedVideo }
            let limit = parts.reduce(Self.motionPhotoOverhead) { $0 &+ $1.byteCount }
            files.append(File(suffix: ".MP.\(still.fileExtension)", source: .motionPhoto(maximumByteCount: limit)))
        }
        for resource in asset.resources.sorted(by: { ($0.type.exportRank, $0.id) < ($1.type.exportRank, $1.id) }) {
            guard let mark = resource.exportMark(ofMotionPhoto: isMotion) else { continue }
            if isMotion, resource.type == .photo || resource.type == .pairedVideo { continue }
            let file = File(suffix: "\(mark).\(resource.fileExtension)", source: .resource(resource))
            // Two parts of one kind, such as two alternates of one format, still get distinct names.
            let isTaken = files.contains { $0.suffix.lowercased() == file.suffix.lowercased() }
            files.append(
                isTaken
                    ? File(suffix: "\(mark)-\(files.count).\(resource.fileExtension)", source: file.source) : file
            )
        }
        if hasSidecar, let primary, let bytes = XMPSidecar.bytes(for: asset) {
            let suffix = files.first?.suffix ?? ".\(primary.fileExtension)"
            files.append(File(suffix: suffix + XMPSidecar.fileExtension, source: .sidecar(bytes)))
        }
        self.files = files
    }

    /// Bytes to fetch.
    var byteCount: Int64 {
        files.reduce(0) { sum, file in
            if case .resource(let resource) = file.source { sum &+ resource.byteCount } else { sum }
        }
    }
}

extension AssetResourceType {
    /// The mark in an exported file's name; nil for resources that are useless outside the library.
    fileprivate var exportMark: String? {
        switch self {
        case .photo, .video, .audio, .pairedVideo, .alternatePhoto: ""
        case .fullSizePhoto, .fullSizeVideo, .fullSizePairedVideo: "-edited"
        default: nil
        }
    }

    fileprivate var exportRank: Int {
        switch self {
        case .photo, .video, .audio: 0
        case .pairedVideo: 1
        case .alternatePhoto: 2
        default: 3
        }
    }
}

extension AssetResource {
    /// The part between base name and extension; nil if not exported.
    fileprivate func exportMark(ofMotionPhoto isMotion: Bool) -> String? {
        guard type == .adjustmentData, contentType == Self.appleAdjustmentType else { return type.exportMark }
        // A sidecar belongs to the file with its stem.
        return isMotion ? ".MP" : ""
    }

    private static let appleAdjustmentType = "application/x-apple-adjustment-data"

    /// The extension that fits its bytes, spelled as in its own name if possible.
    fileprivate var fileExtension: String {
        let name = originalFilename?.displayText ?? ""
        let own = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
        let right = Self.endings[contentType] ?? []
        if right.isEmpty
            ? (1...8 ~= own.utf8.count && own.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
            : right.contains(own.lowercased())
        {
            return own
        }
        return right.first ?? "bin"
    }

    /// Whether the Motion Photo format supports its type.
    fileprivate var canHoldMovie: Bool { ["image/jpeg", "image/heic", "image/avif"].contains(contentType) }

    private static let endings: [String: [String]] = [
        "image/jpeg": ["jpg", "jpeg"], "image/png": ["png"], "image/heic": ["heic"], "image/heif": ["heif", "hif"],
        "image/avif": ["avif"], "image/webp": ["webp"], "image/jxl": ["jxl"],
        "image/gif": ["gif"], "image/x-adobe-dng": ["dng"],
        "video/quicktime": ["mov", "qt"], "video/mp4": ["mp4", "m4v"], "audio/mp4": ["m4a", "mp4"],
        "audio/wav": ["wav"], appleAdjustmentType: ["AAE", "aae"],
    ]
}
