import MediaFormats
import PhotoModel

/// Movies: reading, finishing as a Live Photo, and stripping, after which our own reader finds no place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuickTime(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? bytes.copyBytes(in: bytes.fullRange) else { return }
        if let movie = try? Movie(file) { _ = (movie.subtypes, movie.stillImageTime, movie.words) }
        let metadata = LivePhotoMovieMetadata(contentIdentifier: ContentIdentifier(rawValue: 1))
        if let ending = try? LivePhotoMovie.finishing(file, stillTime: .seconds(1), metadata: metadata) {
            let live = file[..<ending.offset] + ending.bytes
            precondition((try? Movie(Array(live)))?.stillImageTime != nil, "a finished movie has no mark")
        }
        guard let stripped = try? MovieStripping.stripped(file, of: .location).copyBytes(from: bytes) else { return }
        precondition(stripped.count == file.count, "stripping changed the length")
        precondition((try? Movie(stripped))?.location == nil, "a place is left")
    }
}
