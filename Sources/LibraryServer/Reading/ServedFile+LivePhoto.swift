import LibraryAPI
import LibraryStore
import MediaFormats
import PhotoModel

extension ServedFile {
    /// Still and movie of a Live Photo in one archive, under one base name, as other libraries import them.
    static func livePhotoArchive(of still: ServedFile, _ movie: ServedFile, from time: CivilTime) -> ServedFile {
        let name = still.baseName
        return .archive(
            of: [still, movie].map { file in
                (
                    entry: StoredArchive.Entry(
                        name: "\(name).\(file.fileExtension)",
                        byteCount: file.byteCount,
                        time: time
                    ),
                    file: ArchivedFile(byteCount: file.byteCount) { file }
                )
            },
            tag: "\(still.tag)-\(movie.tag)-zip",
            filename: "\(name).zip"
        )
    }

    /// A Live Photo as one Motion Photo: the still with Motion Photo metadata, followed by the movie.
    ///
    /// - Parameters:
    ///   - still: the picture.
    ///   - movie: its movie.
    ///   - parts: the metadata to strip from both first, for which the picture is held in memory.
    /// - Returns: the file.
    /// - Throws: `resource.invalid` if the still's format cannot hold a movie, or either cannot be read.
    static func motionPhoto(
        of still: OpenResource,
        _ movie: OpenResource,
        without parts: Set<MetadataPart> = []
    ) async throws -> ServedFile {
        let bareMovie = try await ServedFile(movie).without(parts)
        let bareStill = parts.isEmpty ? nil : try await ServedFile(still).without(parts).wholeBytes()
        do {
            let (type, time) = try await movie.parsing { read in
                let source = StoredBytes(byteCount: Int(movie.resource.byteCount), read: read)
                let head = try source.bytes(in: FileRange(0..<min(source.byteCount, ContentType.sniffedByteCount)))
                let time = try? Movie(source).stillImageTime
                return (head.withBytes { ContentType(sniffing: $0) }, time?.duration)
            }
            let movieByteCount = Int(bareMovie.byteCount)
            let beginning = try await still.parsing { read in
                let source: any ByteSource =
                    bareStill ?? StoredBytes(byteCount: Int(still.resource.byteCount), read: read)
                return try MotionPhoto.beginning(
                    still: source,
                    movieByteCount: movieByteCount,
                    movieType: type,
                    stillTime: time
                )
            }
            var file = ServedFile(still)
            file.pieces = beginning.pieces.map { piece in
                switch piece {
                case .bytes(let bytes): .bytes(bytes)
                case .source(let range):
                    bareStill.map { .bytes(Array($0[range.offset..<range.end])) }
                        ?? .stored(still, Int64(range.offset)..<Int64(range.end))
                }
            }
            file.pieces += bareMovie.pieces
            file.tag += "-\(movie.resource.digest)-motion\(parts.tagSuffix)"
            let stillType = ContentType.allCases.first { $0.mediaType == still.resource.contentType } ?? .jpeg
            // Android wants `MP` at the end of the base name.
            let base = parts.contains(.location) ? "\(file.baseName) without location" : file.baseName
            file.filename = MotionPhotoFileName.name(baseName: base, type: stillType) ?? file.filename
            return file
        } catch let error as MediaFormatError {
            throw ProblemDetails(
                .resourceInvalid,
                "The pair cannot be combined into a Motion Photo (\(error.message)): fetch it as live-photo.zip."
            )
        }
    }

    /// The name for saving without its extension.
    private var baseName: String { Self.baseName(of: filename) }

    /// A file's name without its extension, or a fixed one if none is usable as a file name.
    static func baseName(of filename: String?) -> String {
        let name = filename.map { $0.split(separator: "/").last.map(String.init) ?? "" } ?? ""
        let base = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        let safe = base.withoutDirectionControls
            .filter { character in !character.isNewline && character != "\\" && character != "\0" }
        return safe.isEmpty || safe.allSatisfy { $0 == "." } ? "IMG" : safe
    }

    private var fileExtension: String { Self.fileExtension(of: contentType) }

    /// The extension that goes with a media type.
    static func fileExtension(of contentType: String) -> String {
        let known = ContentType.allCases.first { $0.mediaType == contentType && !$0.fileExtension.isEmpty }
        return known?.fileExtension.uppercased() ?? "BIN"
    }
}
