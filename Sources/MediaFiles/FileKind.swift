import MediaFormats
package import PhotoModel

/// A file's kind, detected from its first bytes and never from its name.
package struct FileKind: Hashable, Sendable {
    /// The IANA media type.
    package let contentType: String
    /// Its role if it stands alone.
    package let type: AssetResourceType
    /// Whether it is a camera's raw photo.
    package let isRaw: Bool

    /// How many leading bytes suffice.
    package static let headByteCount = 32

    /// Examines a file's first bytes; nil for anything but photos, movies and sound.
    package init?(head: [UInt8]) {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            head.count >= offset + text.utf8.count && head[offset...].starts(with: text.utf8)
        }
        if let mediaType = head.withBytes({ RawPhoto.markedMediaType($0) }) {
            self.init(raw: mediaType)
        } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self.init("image/jpeg", .photo)
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self.init("image/png", .photo)
        } else if has("GIF87a") || has("GIF89a") {
            self.init("image/gif", .photo)
        } else if has("RIFF"), has("WEBP", at: 8) {
            self.init("image/webp", .photo)
        } else if has("RIFF"), has("WAVE", at: 8) {
            self.init("audio/wav", .audio)
        } else if head.starts(with: [0x49, 0x49, 0x2A, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
            self.init("image/tiff", .photo)
        } else if head.withBytes({ JPEGXLFile.isBeginning($0) }) {
            self.init("image/jxl", .photo)
        } else if has("ftyp", at: 4), head.count >= 12 {
            self.init(brandsIn: head)
        } else if has("moov", at: 4) || has("mdat", at: 4) || has("wide", at: 4) {
            self.init("video/quicktime", .video)
        } else {
            return nil
        }
    }

    /// A camera's raw photo.
    init(raw mediaType: String) {
        self.init(mediaType, .photo, isRaw: true)
    }

    /// By the brands of ISO/IEC 14496-12's file type box.
    private init?(brandsIn head: [UInt8]) {
        let type = head.withBytes { ContentType(sniffing: $0) }
        if type != .opaque {
            self.init(type.mediaType, type.isMovie ? .video : .photo)
        } else if ["M4A ", "M4B ", "M4P ", "F4A "].contains(String(decoding: head[8..<12], as: UTF8.self)) {
            self.init("audio/mp4", .audio)
        } else {
            return nil
        }
    }

    private init(_ contentType: String, _ type: AssetResourceType, isRaw: Bool = false) {
        self.contentType = contentType
        self.type = type
        self.isRaw = isRaw
    }

    /// The main type of an asset made from this file.
    package var mediaType: MediaType {
        switch type {
        case .video: .video
        case .audio: .audio
        default: .image
        }
    }
}
