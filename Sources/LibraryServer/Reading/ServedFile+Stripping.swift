import LibraryAPI
import LibraryStore
import MediaFormats
import Persistence
import PhotoModel

/// A resource as a source for the media parsers, on a thread that may block.
struct StoredBytes: ByteSource {
    let byteCount: Int
    let read: OpenResource.Reading

    func bytes(in range: FileRange) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < range.length {
            let part = try read(range.length - bytes.count, Int64(range.offset + bytes.count))
            guard !part.isEmpty else { break }
            bytes += part
        }
        return bytes
    }
}

extension ServedFile {
    /// The largest still that is rewritten, which loads it into memory: 128 MiB.
    static let rewrittenByteCount: Int64 = 128 << 20

    /// The file with parts of its metadata stripped.
    ///
    /// A file that cannot be parsed with certainty is refused, because it might hide the part.
    ///
    /// - Returns: the stripped file; the same file if there is nothing to strip.
    /// - Throws: `resource.invalid` for a format in which the part cannot be located, `limits.too_large`.
    func without(_ parts: Set<MetadataPart>) async throws -> ServedFile {
        guard !parts.isEmpty else { return self }
        guard case .stored(let open, _)? = pieces.first, pieces.count == 1 else {
            preconditionFailure("metadata must be stripped from a resource before it becomes part of another file")
        }
        let rewritten: RewrittenFile
        do {
            rewritten = try await open.parsing { read in
                try Self.stripped(StoredBytes(byteCount: Int(open.resource.byteCount), read: read), of: parts)
            }
        } catch let error as MediaFormatError {
            throw ProblemDetails(stripping: open.resource.contentType, error)
        }
        var file = self
        file.pieces = rewritten.pieces.map { piece in
            switch piece {
            case .bytes(let bytes): .bytes(bytes)
            case .source(let range): .stored(open, Int64(range.offset)..<Int64(range.end))
            }
        }
        file.tag += parts.tagSuffix
        return file
    }

    /// A newly encoded file with parts of its metadata stripped.
    ///
    /// - Throws: `resource.invalid` if it cannot be parsed.
    static func bytes(_ bytes: [UInt8], of contentType: String, without parts: Set<MetadataPart>) throws -> [UInt8] {
        guard !parts.isEmpty else { return bytes }
        do {
            return try copy(stripped(bytes, of: parts), of: bytes)
        } catch let error as MediaFormatError {
            throw ProblemDetails(stripping: contentType, error)
        }
    }

    private static func stripped(_ source: some ByteSource, of parts: Set<MetadataPart>) throws -> RewrittenFile {
        guard parts.contains(.captions) else { return try stripped(source, of: .location) }
        let file = try stripped(source, of: .captions)
        guard parts.contains(.location) else { return file }
        return try stripped(RewrittenSource(file, of: source), of: .location).rebased(on: file)
    }

    private static func copy(_ file: RewrittenFile, of bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withBytes { span throws(MediaFormatError) in try file.copyBytes(from: span) }
    }

    private static func type(of source: some ByteSource) throws -> ContentType {
        let head = try source.bytes(in: FileRange(0..<min(source.byteCount, ContentType.sniffedByteCount)))
        return head.withBytes { ContentType(sniffing: $0) }
    }

    /// The copy of a still of bounded size, which is read as a whole.
    private static func still(_ source: some ByteSource, without part: MetadataRemoval) throws -> RewrittenFile {
        guard source.byteCount <= Int(rewrittenByteCount) else {
            throw ProblemDetails(.tooLarge, "Metadata can be removed from stills of up to \(rewrittenByteCount) bytes.")
        }
        let bytes = try source.bytes(in: FileRange(wholeFileOf: source.byteCount))
        return try bytes.withBytes { span throws(MediaFormatError) in try part.stripped(span) }
    }

    private static func stripped(_ source: some ByteSource, of part: MetadataRemoval) throws -> RewrittenFile {
        switch try type(of: source) {
        case .quickTimeMovie, .mpeg4Movie: return try MovieStripping.stripped(source, of: part)
        case .heic, .heif, .avif: return try HEIFImage(source).stripped(source, of: part)
        case .jpeg, .png, .webP, .gif, .jpegXL, .tiff, .dng: return try still(source, without: part)
        case .opaque:
            let name = part == .location ? "locations" : "captions"
            throw MediaFormatError(.unsupported, "\(name) cannot be found in this format")
        }
    }
}

extension ProblemDetails {
    fileprivate init(stripping contentType: String, _ error: MediaFormatError) {
        self.init(.resourceInvalid, "Metadata cannot be removed from \(contentType): \(error.message).")
    }
}

extension Set<MetadataPart> {
    /// The entity tag's suffix, since a stripped file is a different one.
    var tagSuffix: String { isEmpty ? "" : "-" + map(\.rawValue).sorted().joined(separator: "-") }
}
