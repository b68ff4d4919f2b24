package import PhotoModel

/// The path of a content-addressed file below its root: `ab/cd/<sha-256>.<extension>`, or
/// `ab/cd/<sha-256>.<copy>.<extension>` with the name of a copy.
///
/// The extension is only for people and tools; it comes from the media type, never from an original filename.
package struct ContentAddress: Hashable, Sendable, CustomStringConvertible {
    /// SHA-256 of the bytes.
    package let digest: ContentDigest
    /// Distinguishes copies of the same bytes in stores that never reuse a name, 1 to 56 lower-case letters, digits and
    /// hyphens; nil in stores with one file per digest.
    package let copy: String?
    /// Up to eight lower-case letters and digits, without the dot.
    package let fileExtension: String

    /// The address of content with a media type.
    package init(_ digest: ContentDigest, contentType: String) {
        self.digest = digest
        copy = nil
        fileExtension = Self.fileExtension(of: contentType)
    }

    /// Parses a file name; nil if it is not an address.
    package init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let digest = ContentDigest(String(parts[0])), digest.description == parts[0],
            1...8 ~= parts[parts.count - 1].utf8.count, parts[parts.count - 1].utf8.allSatisfy(Self.isPlain),
            parts.count == 2 || Self.isCopy(parts[1])
        else { return nil }
        self.digest = digest
        copy = parts.count == 3 ? String(parts[1]) : nil
        fileExtension = String(parts[parts.count - 1])
    }

    private init(_ digest: ContentDigest, copy: String?, fileExtension: String) {
        self.digest = digest
        self.copy = copy
        self.fileExtension = fileExtension
    }

    /// The address of a copy of the same bytes; `name` is one of our identifiers.
    package func copied(by name: String) -> ContentAddress {
        precondition(Self.isCopy(name[...]), "a copy is named by an identifier")
        return ContentAddress(digest, copy: name, fileExtension: fileExtension)
    }

    /// The address in a store with one file per digest.
    package var withoutCopy: ContentAddress { ContentAddress(digest, copy: nil, fileExtension: fileExtension) }

    /// What follows the digest and its dot in the file's name.
    package var suffix: String { copy.map { "\($0).\(fileExtension)" } ?? fileExtension }

    private static func isCopy(_ text: Substring) -> Bool {
        1...56 ~= text.utf8.count && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// The file's name.
    package var fileName: String { "\(digest).\(suffix)" }

    /// Its two directories, from the digest's first bytes.
    package var directoryNames: (String, String) {
        let text = digest.description
        return (String(text.prefix(2)), String(text.dropFirst(2).prefix(2)))
    }

    /// The directory below a root.
    package func directory(in root: Path) -> Path {
        root.appending(directoryNames.0).appending(directoryNames.1)
    }

    /// The file below a root.
    package func path(in root: Path) -> Path {
        directory(in: root).appending(fileName)
    }

    /// The path below the root.
    package var description: String { "\(directoryNames.0)/\(directoryNames.1)/\(fileName)" }

    /// The usual file extension of a media type; `bin` for unknown types.
    package static func fileExtension(of contentType: String) -> String {
        switch contentType.lowercased() {
        case "image/jpeg": "jpg"
        case "image/png": "png"
        case "image/heic": "heic"
        case "image/heif": "heif"
        case "image/avif": "avif"
        case "image/webp": "webp"
        case "image/jxl": "jxl"
        case "image/gif": "gif"
        case "image/tiff": "tif"
        case "image/x-adobe-dng": "dng"
        case "image/x-canon-cr2": "cr2"
        case "image/x-canon-cr3": "cr3"
        case "image/x-sony-arw": "arw"
        case "image/x-dcraw": "raw"
        case "video/quicktime": "mov"
        case "video/mp4": "mp4"
        case "video/x-m4v": "m4v"
        case "video/x-matroska": "mkv"
        case "audio/mp4": "m4a"
        case "audio/wav", "audio/x-wav": "wav"
        case "application/x-apple-adjustment-data", "application/x-plist": "plist"
        default: "bin"
        }
    }
}
