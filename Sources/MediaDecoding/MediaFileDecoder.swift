import CFFmpegDecoding
import CVips
import Glibc
package import MediaWorker
import PhotoModel

/// Decodes stills with libvips and movies with FFmpeg.
package struct MediaFileDecoder: MediaDecoder {
    private static let conversion = Picture.Encoding.jpeg(quality: 92, isBare: false)
    private static let posterConversion = Picture.Encoding.jpeg(quality: 92, isBare: true)
    /// The only libvips loaders that are enabled.
    private static let readers = [
        "VipsForeignLoadJpeg", "VipsForeignLoadHeif", "VipsForeignLoadPng", "VipsForeignLoadWebp",
        "VipsForeignLoadTiff", "VipsForeignLoadJxl", "VipsForeignLoadNsgif",
    ]

    /// Loads both libraries, and decodes a built-in picture so that nothing is left to load lazily.
    package init() {
        av_log_set_level(AV_LOG_QUIET)
        guard unsafe vips_init("tintype-media") == 0 else { return }
        // Every file is different: no cached computation is ever reused.
        vips_cache_set_max(0)
        vips_concurrency_set(1)
        unsafe tt_vips_block("VipsForeignLoad", 1)
        for reader in Self.readers { unsafe tt_vips_block(reader, 0) }
        warmUp()
    }

    private func warmUp() {
        let pixels = [UInt8](repeating: 0x7F, count: 64 * 64 * 3)
        _ = try? Picture.copying(pixels, size: PixelSize(width: 64, height: 64)).fitted(side: 20).thumbHash()
    }

    /// Decodes one file.
    package func perform(
        _ request: MediaRequest,
        within limits: MediaLimits,
        input: Int32,
        output: Int32
    ) throws(MediaFailure) -> MediaResult {
        guard lseek(input, 0, SEEK_END) > 0 else { throw MediaFailure(.damaged, "the file is empty") }
        var writer = OutputWriter(descriptor: output, byteCount: limits.outputByteCount)
        return switch (request.source, request.task) {
        case (.still, .thumbnails): try stillThumbnails(request.thumbnails, limits, StillInput(input), &writer)
        case (.still, .jpeg): try stillJPEG(limits, StillInput(input), &writer)
        case (.movie, .thumbnails): try moviePictures(request.thumbnails, limits, input, &writer)
        case (.movie, .jpeg): try moviePictures([], limits, input, &writer)
        case (.movie, .h264): try convertedMovie(limits, input, output)
        case (.still, .h264): throw MediaFailure(.unsupported, "a still is not a movie")
        }
    }

    /// Reads the header, and refuses a decompression bomb before decoding a pixel.
    private func stillFacts(_ limits: MediaLimits, _ input: StillInput) throws(MediaFailure) -> MediaFacts {
        let picture = try Picture.open(input.source())
        let size = picture.uprightSize
        guard size.width > 0, size.height > 0, size.width <= limits.pixelCount / size.height else {
            throw MediaFailure(.tooLarge, "a picture of \(size), more than \(limits.pixelCount) pixels")
        }
        return MediaFacts(size: size, codec: picture.format)
    }

    private func stillThumbnails(
        _ thumbnails: [MediaRequest.Thumbnail],
        _ limits: MediaLimits,
        _ input: StillInput,
        _ writer: inout OutputWriter
    ) throws(MediaFailure) -> MediaResult {
        var facts = try stillFacts(limits, input)
        let decodedSize = facts.size
        facts.size = input.size ?? decodedSize
        guard let largest = thumbnails.first?.side else { return MediaResult(facts: facts, pictures: []) }
        // One pass over the file produces the largest; the others are derived from it.
        let decoded =
            try facts.codec == "jpeg"
            ? Picture.jpegThumbnail(input.source(), of: decodedSize, side: largest).asRGB()
            : Picture.thumbnail(input.source(), side: largest).asRGB()
        let picture = try input.turned(decoded)
        facts.thumbHash = try picture.thumbHash()
        return MediaResult(facts: facts, pictures: try writer.write(thumbnails, of: picture))
    }

    private func stillJPEG(
        _ limits: MediaLimits,
        _ input: StillInput,
        _ writer: inout OutputWriter
    ) throws(MediaFailure) -> MediaResult {
        var facts = try stillFacts(limits, input)
        guard max(facts.size.width, facts.size.height) <= 65_500 else {
            throw MediaFailure(.tooLarge, "a JPEG has no room for \(facts.size)")
        }
        facts.size = input.size ?? facts.size
        let picture = try input.turned(Picture.open(input.source()).upright().inSRGB().opaque())
        let place = try writer.write(picture, Self.conversion)
        return MediaResult(facts: facts, pictures: [place])
    }

    /// Thumbnails of the poster; if none are asked for, the whole poster.
    private func moviePictures(
        _ thumbnails: [MediaRequest.Thumbnail],
        _ limits: MediaLimits,
        _ input: Int32,
        _ writer: inout OutputWriter
    ) throws(MediaFailure) -> MediaResult {
        let movie = try openMovie(input, limits)
        let frame = try movie.poster()
        let pixels = try frame.rgb(pixelCount: limits.pixelCount)
        let turns = movie.quarterTurns
        let size = turns.isMultiple(of: 2) ? frame.size : frame.size.transposed
        var facts = MediaFacts(size: size, durationMilliseconds: movie.durationMilliseconds, codec: movie.codec)
        let poster = try Self.poster(pixels, frame.size, turns)
        guard !thumbnails.isEmpty else {
            return MediaResult(facts: facts, pictures: [try writer.write(poster, Self.posterConversion)])
        }
        facts.thumbHash = try poster.thumbHash()
        return MediaResult(facts: facts, pictures: try writer.write(thumbnails, of: poster))
    }

    private func openMovie(_ input: Int32, _ limits: MediaLimits) throws(MediaFailure) -> MovieFile {
        guard lseek(input, 0, SEEK_SET) == 0 else { throw MediaFailure(.damaged, "the file cannot be read") }
        return try MovieFile(input, pixelCount: limits.pixelCount)
    }

    private func convertedMovie(
        _ limits: MediaLimits,
        _ input: Int32,
        _ output: Int32
    ) throws(MediaFailure) -> MediaResult {
        let movie = try openMovie(input, limits)
        let size = movie.quarterTurns.isMultiple(of: 2) ? movie.size : movie.size.transposed
        let facts = MediaFacts(size: size, durationMilliseconds: movie.durationMilliseconds, codec: "h264")
        let target = try MovieOutput(output, byteCount: limits.outputByteCount)
        try movie.convert(to: target, pixelCount: limits.pixelCount)
        return MediaResult(facts: facts, pictures: [MediaPicture(size: size, offset: 0, byteCount: target.byteCount)])
    }

    private static func poster(_ pixels: [UInt8], _ size: PixelSize, _ turns: Int) throws(MediaFailure) -> Picture {
        guard !pixels.isEmpty else { throw MediaFailure(.damaged, "the poster's pixels cannot be converted") }
        return try Picture.copying(pixels, size: size).turned(quarters: turns).inMemory()
    }
}

/// Appends pictures to the output.
private struct OutputWriter {
    let descriptor: Int32
    let byteCount: Int
    fileprivate var offset = 0

    /// Writes thumbnails: opaque, without metadata.
    mutating func write(
        _ thumbnails: [MediaRequest.Thumbnail],
        of picture: borrowing Picture
    ) throws(MediaFailure) -> [MediaPicture] {
        let opaque = try picture.opaque().inMemory()
        var places: [MediaPicture] = []
        for thumbnail in thumbnails {
            places.append(try write(opaque.fitted(side: thumbnail.side), thumbnail.format.encoding))
        }
        return places
    }

    /// Writes one picture.
    mutating func write(
        _ picture: borrowing Picture,
        _ encoding: Picture.Encoding
    ) throws(MediaFailure) -> MediaPicture {
        let bytes = try picture.encoded(encoding)
        let start = offset
        guard bytes.count <= byteCount - start else {
            throw MediaFailure(.tooLarge, "the output is larger than \(byteCount) bytes")
        }
        guard unsafe bytes.withUnsafeBytes({ unsafe writeAll($0, to: descriptor, at: Int64(start)) }) else {
            throw MediaFailure(.outputFailed, "the output cannot be written: \(errno)")
        }
        offset += bytes.count
        return MediaPicture(size: picture.size, offset: start, byteCount: bytes.count)
    }
}

extension ThumbnailFormat {
    /// At 256 pixels both qualities look alike (SSIM 0.97 over nine photos); a higher WebP effort takes twice the time
    /// to save a thirtieth of the bytes.
    fileprivate var encoding: Picture.Encoding {
        switch self {
        case .jpeg: .jpeg(quality: 80, isBare: true)
        case .webP: .webP(quality: 75, effort: 2)
        }
    }
}
