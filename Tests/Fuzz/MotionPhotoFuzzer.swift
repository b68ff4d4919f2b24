import MediaFormats

/// Files of a still and a movie: finding both, and making one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMotionPhoto(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? bytes.copyBytes(in: bytes.fullRange) else { return }
        if let photo = try? MotionPhoto(file) {
            precondition(bytes.fullRange.contains(photo.movie), "a movie reaches beyond the file")
            precondition(photo.still.end <= photo.movie.offset, "the still reaches into the movie")
        }
        let beginning = try? MotionPhoto.beginning(
            still: file,
            movieByteCount: 9,
            movieType: .mpeg4Movie,
            stillTime: .zero
        )
        _ = try? beginning?.copyBytes(from: bytes)
    }
}
