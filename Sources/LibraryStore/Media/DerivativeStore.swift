package import Persistence
package import PhotoModel

/// The kinds of files derived from an original.
package enum DerivativeKind: String, Hashable, Sendable, CaseIterable {
    /// The thumbnail for grids.
    case small
    /// The thumbnail for grids as WebP, a quarter smaller.
    case smallWebP
    /// The thumbnail for a screen.
    case large
    /// The whole picture as a JPEG.
    case jpeg
    /// The whole movie with H.264.
    case h264

    /// The longer side in pixels; nil for full size.
    package var side: Int? {
        switch self {
        case .small, .smallWebP: 256
        case .large: 1024
        case .jpeg, .h264: nil
        }
    }

    /// The suffix of its file's name.
    fileprivate var suffix: String {
        switch self {
        case .small, .large, .jpeg: "\(rawValue).jpg"
        case .smallWebP: "small.webp"
        case .h264: "\(rawValue).mov"
        }
    }

    /// How a picture is compressed; nil for a movie.
    package var format: ThumbnailFormat? {
        switch self {
        case .small, .large, .jpeg: .jpeg
        case .smallWebP: .webP
        case .h264: nil
        }
    }

    /// Whether bytes are complete, and not torn by a power cut.
    ///
    /// A movie's reader checks its boxes for that.
    fileprivate func isWhole(_ bytes: [UInt8]) -> Bool {
        format?.isComplete(bytes) ?? bytes.dropFirst(4).starts(with: "ftyp".utf8)
    }

    /// The smallest thumbnail of at least this size, else the largest.
    ///
    /// - Parameter side: the requested longer side, in pixels; nil if unspecified.
    /// - Returns: one of the two sizes.
    package static func thumbnail(side: Int?) -> DerivativeKind {
        guard let side, let small = DerivativeKind.small.side else { return .small }
        return side <= small ? .small : .large
    }
}

/// Pictures derived from originals, which can be regenerated; losing them only costs time.
///
/// They are plain files: `derivatives/ab/cd/<sha-256>.<kind>.jpg`, `.webp` or, for a movie, `.mov`. They are renamed
/// into place but not synchronised: a partial picture after a power cut is detected and regenerated. Every call blocks
/// and belongs on the blocking pool.
package struct DerivativeStore: Sendable {
    private let root: Path
    private let files: any FileSystem

    /// The pictures of a library.
    package init(_ layout: LibraryLayout, in files: any FileSystem) {
        root = layout.derivatives
        self.files = files
    }

    /// Stores a picture, replacing any existing one.
    package func write(_ bytes: [UInt8], as kind: DerivativeKind, of digest: ContentDigest) throws {
        let path = path(kind, digest)
        for directory in [path.parent.parent, path.parent] { try makeDirectory(directory) }
        let temporary = path.parent.appending(".\(path.name).new")
        let file = try files.open(temporary, .update)
        try file.truncate(to: 0)
        try file.write(bytes[...], at: 0)
        try file.close()
        try files.rename(temporary, to: path)
    }

    /// A whole picture, whose size workers limit; nil for a missing or incomplete one.
    package func read(_ kind: DerivativeKind, of digest: ContentDigest, byteCount: Int64?) throws -> [UInt8]? {
        let path = path(kind, digest)
        guard let status = try files.status(path), !status.isDirectory, status.byteCount >= 4,
            byteCount.map({ $0 == status.byteCount }) ?? true
        else { return nil }
        let bytes = try files.open(path, .read).read(Int(clamping: status.byteCount), at: 0)
        return kind.isWhole(bytes) ? bytes : nil
    }

    /// Deletes every picture of an original.
    package func remove(_ digest: ContentDigest) throws {
        for kind in DerivativeKind.allCases {
            let path = path(kind, digest)
            if try files.status(path) != nil { try files.unlink(path) }
        }
    }

    /// The originals with pictures here whose digests begin with a byte.
    package func digests(beginning byte: UInt8) throws -> Set<ContentDigest> {
        let digits = String(byte, radix: 16)
        let folder = root.appending(digits.count == 1 ? "0\(digits)" : digits)
        guard try files.status(folder) != nil else { return [] }
        var digests: Set<ContentDigest> = []
        for name in try files.list(folder) {
            let names = try files.list(folder.appending(name))
            digests.formUnion(names.compactMap { ContentDigest(String($0.prefix { $0 != "." })) })
        }
        return digests
    }

    private func makeDirectory(_ path: Path) throws {
        guard try files.status(path) == nil else { return }
        do {
            try files.createDirectory(path)
        } catch  where error.code == .exists {
            // Another worker finished first.
            return
        }
    }

    private func path(_ kind: DerivativeKind, _ digest: ContentDigest) -> Path {
        let name = digest.description
        return root.appending(String(name.prefix(2))).appending(String(name.dropFirst(2).prefix(2)))
            .appending("\(name).\(kind.suffix)")
    }
}
