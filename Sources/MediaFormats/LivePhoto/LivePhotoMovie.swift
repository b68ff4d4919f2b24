/// Turns a plain movie into a Live Photo's movie.
package enum LivePhotoMovie {
    /// The replacement for the end of a movie file: everything from `offset` on.
    package struct Ending: Hashable, Sendable {
        /// The old offset of `moov`; the file is cut here.
        package let offset: Int
        /// The bytes to write from there: an `mdat` with the mark's sample, then the new `moov`.
        package let bytes: [UInt8]
    }

    /// Adds the still's mark, at a time from 0 to the movie's duration, and the metadata list to a movie whose `moov`
    /// is its last box, as libavformat writes it; returns the new end of the file.
    ///
    /// The media does not move, so no chunk offset changes. The old `moov` is kept except for `udta`, an earlier
    /// `meta`, and earlier still marks. The file is valid again only once all bytes are written: write to a temporary
    /// file, or keep the old `moov` until then.
    ///
    /// - Throws: `unsupported` if `moov` is not the last box or there is no video track; `unrepresentable` if the
    ///   still's time is outside the movie or a number does not fit; `malformed`, `truncated`, and what the source
    ///   throws.
    package static func finishing(
        _ source: some ByteSource,
        stillTime: Duration,
        metadata: LivePhotoMovieMetadata,
        limits: ParseLimits = .standard
    ) throws -> Ending {
        let file = try FileBoxes(of: source, limits: limits)
        if let damage = file.damage { throw damage }
        let box = try file.required("moov")
        guard file.boxes.last == box, file.boxes.all(ofType: "moov").count == 1 else {
            throw MediaFormatError(.unsupported, "the movie's header is not its last box", at: box.range.offset)
        }
        let movie = try Movie(source, limits: limits)
        guard let video = movie.videoTrack else {
            throw MediaFormatError(.unsupported, "a Live Photo's movie needs a video track")
        }
        var writer = ByteWriter(capacity: box.range.length + 2048)
        writer.appendBox("mdat") { $0.append(StillImageTimeTrack.sample) }
        let moov = try LoadedBox(box, of: source)
        try moov.bytes.withBytes { bytes throws(MediaFormatError) in
            let header = try MovieHeaderFields(moov.box, of: bytes, limits: limits)
            let mark = try mark(
                at: stillTime,
                in: movie,
                trackID: header.nextTrackID,
                videoTrackID: video.id,
                sampleOffset: UInt64(box.range.offset + Box.shortestHeader)
            )
            let kept = try keptChildren(of: moov.box, of: bytes, header: header, mark: mark, limits: limits)
            writer.appendBox("moov") { writer in
                for child in kept { writer.append(child) }
                mark.append(to: &writer)
                metadata.append(to: &writer)
            }
        }
        return Ending(offset: box.range.offset, bytes: writer.bytes)
    }

    private static func mark(
        at stillTime: Duration,
        in movie: Movie,
        trackID: UInt32,
        videoTrackID: UInt32,
        sampleOffset: UInt64
    ) throws(MediaFormatError) -> StillImageTimeTrack {
        guard let duration = movie.duration, let time = MediaTime(nearest: stillTime, timescale: movie.timescale),
            0...max(0, duration.value) ~= time.value, let ticks = UInt32(exactly: time.value),
            let sample = MediaTime(value: 1, timescale: StillImageTimeTrack.timescale)?
                .converted(to: movie.timescale), let sampleDuration = UInt32(exactly: max(1, sample.value)),
            !ticks.addingReportingOverflow(sampleDuration).overflow
        else {
            throw MediaFormatError(.unrepresentable, "the still's time is outside the movie")
        }
        return StillImageTimeTrack(
            trackID: trackID,
            videoTrackID: videoTrackID,
            stillTime: ticks,
            sampleDuration: sampleDuration,
            sampleOffset: sampleOffset
        )
    }

    /// The kept parts of the old header, with `mvhd` updated.
    private static func keptChildren(
        of moov: Box,
        of bytes: RawSpan,
        header: MovieHeaderFields,
        mark: StillImageTimeTrack,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [[UInt8]] {
        var kept: [[UInt8]] = []
        for child in try bytes.children(of: moov, limits: limits) where child.type != "udta" && child.type != "meta" {
            if child.type == "trak" {
                let track = try MovieTrack(child, of: bytes, limits: limits)
                if track.timedKeys.values.contains(MovieMetadata.Key.stillImageTime) { continue }
            }
            kept.append(
                child == header.box
                    ? try header.bytes(of: bytes, duration: mark.stillTime + mark.sampleDuration)
                    : try bytes.copyBytes(in: child.range, limit: ParseLimits.headerBoxBytes)
            )
        }
        return kept
    }
}

/// The fields of `mvhd` that change when a track is added.
private struct MovieHeaderFields {
    let box: Box
    let nextTrackID: UInt32
    private let isWide: Bool

    init(_ moov: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        guard let box = try bytes.descendant(of: moov, "mvhd", limits: limits) else {
            throw MediaFormatError(.malformed, "a movie without header", at: moov.range.offset)
        }
        var reader = ByteReader(box.payload)
        isWide = try FullBoxHeader(&reader, from: bytes).version == 1
        guard box.payload.length >= (isWide ? 112 : 100) else {
            throw MediaFormatError(.truncated, "a movie header is too short", at: box.range.end)
        }
        self.box = box
        nextTrackID = try bytes.integer(at: box.range.end - 4)
        guard nextTrackID > 0, nextTrackID < .max else {
            throw MediaFormatError(.unsupported, "a movie without a free track number", at: box.range.offset)
        }
    }

    /// The box with the next track number incremented, and a duration that covers the mark.
    func bytes(of bytes: RawSpan, duration: UInt32) throws(MediaFormatError) -> [UInt8] {
        var writer = ByteWriter(capacity: box.range.length)
        try writer.append(box.range, of: bytes)
        writer.patch(nextTrackID + 1, at: box.range.length - 4)
        let place = box.headerLength + (isWide ? 24 : 16)
        let old: UInt64
        if isWide {
            old = try bytes.integer(at: box.range.offset + place)
        } else {
            old = UInt64(try bytes.integer(at: box.range.offset + place, .bigEndian, as: UInt32.self))
        }
        if UInt64(duration) > old {
            if isWide {
                writer.patch(UInt64(duration), at: place)
            } else {
                writer.patch(duration, at: place)
            }
        }
        return writer.bytes
    }
}
