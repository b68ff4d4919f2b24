import LibraryAPI
import LibraryStore
import MediaFormats
import Persistence
import PhotoModel

/// A resource as the parsers of media read it, on a thread that may block.
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
    /// The most bytes of a still that are rewritten, since it is loaded for that: 128 MiB.
    static let rewrittenByteCount: Int64 = 128 << 20

    /// The file with parts of its metadata taken out.
    ///
    /// What a format may hide is never served: a file that cannot be read for sure is refused.
    ///
    /// - Parameter parts: what goes.
    /// - Returns: the file; itself when nothing goes.
    /// - Throws: `resource.invalid` for a format in which the part cannot be found, `limits.too_large`.
    func without(_ parts: Set<MetadataPart>) async throws -> ServedFile {
        guard !parts.isEmpty, case .stored(let open, _)? = pieces.first, pieces.count == 1 else { return self }
        guard parts == [.location] else {
            throw ProblemDetails(.resourceInvalid, "Captions cannot be taken out of a file yet: strip location alone.")
        }
        let rewritten: RewrittenFile
        do {
            rewritten = try await open.parsing { read in
                try Self.withoutLocation(StoredBytes(byteCount: Int(open.resource.byteCount), read: read))
            }
        } catch let error as MediaFormatError {
            throw ProblemDetails(
                .resourceInvalid,
                "The place cannot be taken out of \(open.resource.contentType): \(error.message)."
            )
        }
        var file = self
        file.pieces = rewritten.pieces.map { piece in
            switch piece {
            case .bytes(let bytes): .bytes(bytes)
            case .source(let range): .stored(open, Int64(range.offset)..<Int64(range.end))
            }
        }
        file.tag += "-\(parts.map(\.rawValue).sorted().joined(separator: "-"))"
        return file
    }

    private static func withoutLocation(_ source: StoredBytes) throws -> RewrittenFile {
        let head = try source.bytes(in: FileRange(0..<min(source.byteCount, ContentType.sniffedByteCount)))
        switch head.withBytes({ ContentType(sniffing: $0) }) {
        case .quickTimeMovie, .mpeg4Movie: return try MovieLocation.stripped(source)
        case .heic, .heif, .avif: return try HEIFImage(source).withoutLocation(source)
        case .jpeg, .png, .webP, .tiff, .dng:
            guard source.byteCount <= Int(rewrittenByteCount) else {
                throw ProblemDetails(.tooLarge, "Places are taken out of stills up to \(rewrittenByteCount) bytes.")
            }
            let bytes = try source.bytes(in: FileRange(wholeFileOf: source.byteCount))
            return try bytes.withBytes { span throws(MediaFormatError) in try LocationStripping.stripped(span) }
        case .gif, .opaque:
            throw MediaFormatError(.unsupported, "the format is not one whose places are known")
        }
    }
}

extension AdminQuery {
    /// The metadata that a caller wants taken out: `strip=location,captions`.
    ///
    /// - Throws: `request.malformed` for a part that there is not.
    mutating func metadataParts() throws -> Set<MetadataPart> {
        let names = try value("strip", String.self)?.split(separator: ",").map(String.init) ?? []
        return Set(
            try names.map { name in
                guard let part = MetadataPart(rawValue: name) else {
                    throw ProblemDetails(
                        .malformedRequest,
                        "What can be taken out is \(MetadataPart.allCases.map(\.rawValue).joined(separator: ", ")).",
                        field: "strip"
                    )
                }
                return part
            }
        )
    }
}
