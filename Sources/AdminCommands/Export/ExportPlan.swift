import LibraryAPI
import MediaFiles
import MediaFormats
import PhotoModel

/// The files that one asset becomes.
struct ExportPlan {
    /// Where a file's bytes come from.
    enum Source: Hashable {
        /// A resource, whose digest is known beforehand.
        case resource(AssetResource)
        /// A Live Photo as one file.
        case motionPhoto
        /// What people wrote about the asset.
        case sidecar([UInt8])
    }

    /// One file: what comes after the base name, and its bytes.
    struct File: Hashable {
        let suffix: String
        let source: Source
    }

    /// The primary file first.
    let files: [File]

    /// Plans an asset's files.
    ///
    /// A Live Photo is a still and a movie of one base name, as Apple Photos and Immich pair them; an edited version
    /// stands beside its original, and so does how Apple's devices made one (AAE), under the name that they look for.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - isMotionPhoto: whether a Live Photo becomes one file, where its still's format can hold a movie.
    ///   - hasSidecar: whether what people wrote about it goes into a sidecar.
    init(_ asset: Asset, isMotionPhoto: Bool, hasSidecar: Bool) {
        var files: [File] = []
        let primary = asset.primaryResource
        let still = asset.resources.first { $0.type == .photo }
        let isMotion = isMotionPhoto && asset.isLivePhoto && still?.canHoldMovie ?? false
        if isMotion, let still {
            files.append(File(suffix: ".MP.\(still.fileExtension)", source: .motionPhoto))
        }
        for resource in asset.resources.sorted(by: { ($0.type.exportRank, $0.id) < ($1.type.exportRank, $1.id) }) {
            guard let mark = resource.exportMark(ofMotionPhoto: isMotion) else { continue }
            if isMotion, resource.type == .photo || resource.type == .pairedVideo { continue }
            let file = File(suffix: "\(mark).\(resource.fileExtension)", source: .resource(resource))
            // Two parts of one kind, such as two alternates of one format, still get names of their own.
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

    /// Bytes that are to be fetched.
    var byteCount: Int64 {
        files.reduce(0) { sum, file in
            if case .resource(let resource) = file.source { sum &+ resource.byteCount } else { sum }
        }
    }
}

extension AssetResourceType {
    /// What an exported file's name says of it; nil for what is of no use outside the library.
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
    /// What comes between the base name and the ending; nil for what is not exported.
    fileprivate func exportMark(ofMotionPhoto isMotion: Bool) -> String? {
        guard type == .adjustmentData, contentType == Self.appleAdjustmentType else { return type.exportMark }
        // A sidecar belongs to the file of its stem.
        return isMotion ? ".MP" : ""
    }

    private static let appleAdjustmentType = "application/x-apple-adjustment-data"

    /// The ending that its bytes have earned, the way its own name wrote it where that fits.
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

    /// Whether the Motion Photo format knows its type.
    fileprivate var canHoldMovie: Bool { ["image/jpeg", "image/heic", "image/avif"].contains(contentType) }

    private static let endings: [String: [String]] = [
        "image/jpeg": ["jpg", "jpeg"], "image/png": ["png"], "image/heic": ["heic"], "image/heif": ["heif", "hif"],
        "image/avif": ["avif"], "image/webp": ["webp"], "image/jxl": ["jxl"],
        "image/gif": ["gif"], "image/x-adobe-dng": ["dng"],
        "video/quicktime": ["mov", "qt"], "video/mp4": ["mp4", "m4v"], "audio/mp4": ["m4a", "mp4"],
        "audio/wav": ["wav"], appleAdjustmentType: ["AAE", "aae"],
    ]
}
