package import PhotoModel

/// A QuickTime or MP4 file as described by its header; no media is read.
package struct Movie: Hashable, Sendable {
    /// The brand the file was written for: `qt  ` for QuickTime, `isom`, `mp42` and others for MP4; nil without `ftyp`.
    package let majorBrand: FourCharacterCode?
    /// Units per second of the movie's own times.
    package let timescale: UInt32
    /// Its duration; nil if the header leaves it open.
    package let duration: MediaTime?
    /// The creation time in the header; nil if unset.
    package let headerDate: WallTime?
    /// The tracks in file order.
    package let tracks: [MovieTrack]
    /// The file's metadata.
    package let metadata: MovieMetadata
    /// Its XMP, from the file's own box or one in the header; nil if absent or unreadable.
    package private(set) var xmp: XMPProperties?
    /// Why the file's boxes could not be walked to the end; nil for an intact file.
    package let damage: MediaFormatError?

    /// The first video track.
    package var videoTrack: MovieTrack? { tracks.first { $0.kind == .video } }

    /// The size of the picture as shown; nil without video.
    package var displaySize: PixelSize? {
        guard let track = videoTrack else { return nil }
        return track.orientation?.isTransposed == true ? track.codedSize?.transposed : track.codedSize
    }

    /// Frames per second at recording; slow motion has 120 or more.
    package var recordedFrameRate: Double? { metadata.recordedFrameRate ?? videoTrack?.sampleRate }

    /// Its subtypes, as PhotoKit's bits.
    package var subtypes: MediaSubtypes {
        var subtypes: MediaSubtypes = []
        // 119.5: a rate computed from rounded sample durations may fall slightly short of 120.
        if let rate = recordedFrameRate, rate >= 119.5 { subtypes.insert(.videoHighFrameRate) }
        // Android records the capture rate; below the playback rate, time runs faster.
        if let taken = metadata.recordedFrameRate, let played = videoTrack?.sampleRate, taken > 0, taken * 2 <= played {
            subtypes.insert(.videoTimelapse)
        }
        if metadata.values[MovieMetadata.Key.author]?.text == MovieMetadata.screenRecorder {
            subtypes.insert(.videoScreenRecording)
        }
        let timedKeys = tracks.flatMap(\.timedKeys.values)
        if timedKeys.contains(where: { $0.hasPrefix("com.apple.quicktime.cinematic") }) {
            subtypes.insert(.videoCinematic)
        }
        return subtypes
    }

    /// The track whose only sample marks a Live Photo's still.
    package var stillImageTimeTrack: MovieTrack? {
        tracks.first { $0.timedKeys.values.contains(MovieMetadata.Key.stillImageTime) }
    }

    /// The time of a Live Photo's still: when the mark's sample is shown, after the edit list.
    package var stillImageTime: MediaTime? {
        stillImageTimeTrack?.firstPresentationTime(movieTimescale: timescale)
    }

    /// People's texts: field by field, XMP takes precedence over the movie's own metadata.
    package var words: PictureWords { PictureWords(xmp: xmp, iptc: nil, exif: nil).completed(by: metadata.words) }

    /// Where it was recorded, from its own metadata, else XMP.
    package var location: Location? { [metadata.location, xmp?.location].compactMap(\.self).first { !$0.isFiller } }

    /// When it was recorded: the camera's own date with its offset, else the header's in UTC, else noon of a day
    /// without a time; dates of a clock that nobody set are ignored.
    package var creationDate: CivilTime? {
        let header = headerDate.map { CivilTime($0, utcOffsetSeconds: 0) }
        let dates = [metadata.creationDate, header, metadata.creationDay]
        return dates.compactMap(\.self).first { !$0.isClockZero }
    }
}

extension Movie {
    /// Reads the header of a movie, which may be a part of another file; offsets still count from the file's beginning.
    ///
    /// - Throws: ``MediaFormatError`` if it is not a movie or its header is broken, and what the source throws.
    package init(_ source: some ByteSource, in part: FileRange? = nil, limits: ParseLimits = .standard) throws {
        let file = try FileBoxes(of: source, in: part, limits: limits)
        let moov = try LoadedBox(try file.required("moov"), of: source)
        let brand: UInt32? = try file.boxes.first(ofType: "ftyp").flatMap { box in
            guard box.payload.length >= 4 else { return nil }
            let bytes = try source.untrustedBytes(in: FileRange(box.payload.offset..<box.payload.offset + 4), limit: 4)
            return try bytes.withBytes { bytes throws(MediaFormatError) in try bytes.integer(at: 0) }
        }
        self = try moov.bytes.withBytes { bytes throws(MediaFormatError) in
            try Movie(
                moov: moov.box,
                of: bytes,
                majorBrand: brand.map { FourCharacterCode(rawValue: $0) },
                damage: file.damage,
                limits: limits
            )
        }
        if let packet = try Self.packet(file.boxes, of: source, limits: limits) { xmp = packet }
    }

    /// The XMP in a box beside the header, where MP4 has it.
    private static func packet(
        _ boxes: [Box],
        of source: some ByteSource,
        limits: ParseLimits
    ) throws -> XMPProperties? {
        let box = boxes.first { $0.userType == MovieStripping.xmpUserType }
        guard let box, box.payload.length <= limits.packetBytes else { return nil }
        let bytes = try source.untrustedBytes(in: box.payload, limit: limits.packetBytes)
        return try? bytes.withBytes { bytes throws(MediaFormatError) in
            try XMPProperties(bytes, packet: bytes.fullRange, limits: limits)
        }
    }

    private init(
        moov: Box,
        of bytes: RawSpan,
        majorBrand: FourCharacterCode?,
        damage: MediaFormatError?,
        limits: ParseLimits
    ) throws(MediaFormatError) {
        let children = try bytes.children(of: moov, limits: limits)
        guard let headerBox = children.first(ofType: "mvhd") else {
            throw MediaFormatError(.malformed, "a movie without header", at: moov.range.offset)
        }
        let header = try TimingHeader(headerBox, of: bytes)
        var tracks: [MovieTrack] = []
        for box in children.all(ofType: "trak") {
            guard tracks.count < limits.listItems else {
                throw MediaFormatError(.limitExceeded, "a movie has too many tracks", at: box.range.offset)
            }
            tracks.append(try MovieTrack(box, of: bytes, limits: limits))
        }
        self.majorBrand = majorBrand
        self.damage = damage
        self.tracks = tracks
        timescale = header.timescale
        duration = try Self.duration(header, children, of: bytes)
        headerDate = Self.date(header.creationTime)
        metadata = try MovieMetadata(moov: moov, of: bytes, limits: limits)
        let userData = children.first(ofType: "udta").flatMap { try? bytes.children(of: $0, limits: limits) } ?? []
        let packet = children.first { $0.userType == MovieStripping.xmpUserType } ?? userData.first(ofType: "XMP_")
        if let packet, packet.payload.length <= limits.packetBytes {
            xmp = try? XMPProperties(bytes, packet: packet.payload, limits: limits)
        }
    }

    /// A fragmented movie has its length in `mvex/mehd`; its header says 0.
    private static func duration(
        _ header: TimingHeader,
        _ children: [Box],
        of bytes: RawSpan
    ) throws(MediaFormatError) -> MediaTime? {
        guard let extends = children.first(ofType: "mvex"), header.duration?.value ?? 0 == 0 else {
            return header.duration
        }
        guard let box = try bytes.descendant(of: extends, "mehd") else { return nil }
        var reader = ByteReader(box.payload)
        let isWide = try FullBoxHeader(&reader, from: bytes).version == 1
        let units = isWide ? try reader.read(from: bytes) : UInt64(try reader.read(UInt32.self, from: bytes))
        return Int64(exactly: units).flatMap { MediaTime(value: $0, timescale: header.timescale) }
    }

    /// Seconds from 1904-01-01 to 1970-01-01.
    static let secondsFrom1904To1970: Int64 = 2_082_844_800

    /// Seconds since 1904; values before 1970 were counted from 1970 by mistake, as exiftool assumes too.
    private static func date(_ seconds: UInt64) -> WallTime? {
        guard seconds > 0, let seconds = Int64(exactly: seconds), seconds < 1 << 40 else { return nil }
        let sinceEpoch = seconds >= secondsFrom1904To1970 ? seconds - secondsFrom1904To1970 : seconds
        return WallTime(microsecondsSince1970: sinceEpoch * 1_000_000)
    }
}
