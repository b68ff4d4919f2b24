/// Maps a track's media to the presentation (`edts/elst`, ISO/IEC 14496-12, 8.6.6).
package struct EditList: Hashable, Sendable {
    /// One part of the presentation.
    package struct Entry: Hashable, Sendable {
        /// Its duration, in the movie's units.
        package let duration: UInt64
        /// The media time it starts at, in the media's units; -1 for a part that shows nothing.
        package let mediaTime: Int64
    }

    /// The parts in order; empty if the track is shown unedited.
    package private(set) var entries: [Entry]

    /// Shows the parts in order; without any, the unedited media.
    package init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// Reads an `elst` box.
    init(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        var reader = ByteReader(box.payload)
        let version = try FullBoxHeader(&reader, from: bytes).version
        let count: UInt32 = try reader.read(from: bytes)
        guard count <= limits.listItems else {
            throw MediaFormatError(.limitExceeded, "an edit list is too long", at: box.range.offset)
        }
        entries = []
        for _ in 0..<count {
            let duration: UInt64
            let mediaTime: Int64
            if version == 1 {
                duration = try reader.read(from: bytes)
                mediaTime = try reader.read(from: bytes)
            } else {
                duration = UInt64(try reader.read(UInt32.self, from: bytes))
                mediaTime = Int64(try reader.read(Int32.self, from: bytes))
            }
            try reader.skip(4)
            entries.append(Entry(duration: duration, mediaTime: mediaTime))
        }
    }

    /// The presentation time, in the movie's units, of a moment of the media in its own; nil if no part shows it or a
    /// number does not fit.
    package func presentationTime(of mediaTime: MediaTime, movieTimescale: UInt32) -> MediaTime? {
        guard !entries.isEmpty else { return mediaTime.converted(to: movieTimescale) }
        var elapsed: Int64 = 0
        for entry in entries {
            guard let duration = Int64(exactly: entry.duration) else { return nil }
            if entry.mediaTime >= 0, mediaTime.value >= entry.mediaTime,
                let delta = MediaTime(value: mediaTime.value - entry.mediaTime, timescale: mediaTime.timescale)?
                    .converted(to: movieTimescale), delta.value < max(duration, 1)
            {
                let (time, overflows) = elapsed.addingReportingOverflow(delta.value)
                return overflows ? nil : MediaTime(value: time, timescale: movieTimescale)
            }
            let (sum, overflows) = elapsed.addingReportingOverflow(duration)
            guard !overflows else { return nil }
            elapsed = sum
        }
        return nil
    }
}
