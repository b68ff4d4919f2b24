import CFFmpegDecoding
import MediaWorker
import PhotoModel

/// Conversion to H.264, which everything plays: pictures are re-encoded, sound is copied unchanged.
extension MovieFile {
    /// Writes the whole movie as QuickTime, with pictures up to a number of pixels.
    ///
    /// Its timestamps, orientation and metadata are kept. Only the first video and sound tracks are included.
    ///
    /// - Throws: `unsupported`, `tooLarge`, `damaged` if no picture can be decoded.
    consuming func convert(to output: borrowing MovieOutput, pixelCount: Int) throws(MediaFailure) {
        guard let track = unsafe context.pointee.streams[Int(stream)] else {
            throw MediaFailure(.damaged, "a movie without pictures")
        }
        guard size.width > 1, size.height > 1, size.width <= pixelCount / size.height else {
            throw MediaFailure(.tooLarge, "a movie of \(size)")
        }
        let encoder = try unsafe H264Encoder(for: decoder, of: track)
        let pictures = try unsafe output.addTrack(timeBase: track.pointee.time_base) { added in
            let status = unsafe avcodec_parameters_from_context(added.pointee.codecpar, encoder.context)
            unsafe added.pointee.avg_frame_rate = unsafe track.pointee.avg_frame_rate
            return unsafe status < 0 ? status : tt_copy_display_matrix(added, track)
        }
        let sound = try addSound(to: output)
        try output.begin(describedAs: self)
        try copy(pictures: pictures, of: encoder, sound: sound, to: output)
        try output.finish()
    }

    /// Adds an output track to which packets of a track of this movie are copied unchanged.
    private struct CopiedTrack {
        let source: Int32
        let target: Int32
    }

    private func addSound(to output: borrowing MovieOutput) throws(MediaFailure) -> CopiedTrack? {
        let source = unsafe av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
        guard source >= 0, let track = unsafe context.pointee.streams[Int(source)] else { return nil }
        let target = try unsafe output.addTrack(timeBase: track.pointee.time_base) { added in
            let status = unsafe avcodec_parameters_copy(added.pointee.codecpar, track.pointee.codecpar)
            // The other container may have a different tag for the codec.
            unsafe added.pointee.codecpar.pointee.codec_tag = 0
            return status
        }
        return CopiedTrack(source: source, target: target)
    }

    private func copy(
        pictures: Int32,
        of encoder: borrowing H264Encoder,
        sound: CopiedTrack?,
        to output: borrowing MovieOutput
    ) throws(MediaFailure) {
        let frame = try MovieFrame()
        let converted = try MovieFrame()
        var packet = unsafe av_packet_alloc()
        defer { unsafe av_packet_free(&packet) }
        guard let packet = unsafe packet else { throw MediaFailure(.damaged, "no memory for a packet") }
        var last = Int64.min
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = unsafe av_read_frame(context, packet) < 0
            defer { unsafe av_packet_unref(packet) }
            if let sound, !isAtEnd, unsafe packet.pointee.stream_index == sound.source {
                guard let track = unsafe context.pointee.streams[Int(sound.source)] else { continue }
                try unsafe output.write(packet, track: sound.target, timeBase: track.pointee.time_base)
                continue
            }
            if !isAtEnd, unsafe packet.pointee.stream_index != stream { continue }
            // Nil at the end flushes the decoder; damaged packets are skipped.
            unsafe avcodec_send_packet(decoder, isAtEnd ? nil : packet)
            while unsafe avcodec_receive_frame(decoder, frame.pointer) >= 0 {
                let time = unsafe frame.pointer.pointee.best_effort_timestamp
                // Encoders require increasing timestamps.
                guard time != tt_no_time, time > last else { continue }
                last = time
                let picture = try unsafe encoder.prepare(frame, in: converted)
                unsafe picture.pointee.pts = time
                unsafe picture.pointee.pict_type = AV_PICTURE_TYPE_NONE
                try unsafe encode(picture, pictures, encoder, to: output)
            }
        }
        guard last > .min else { throw MediaFailure(.damaged, "no picture of the movie can be decoded") }
        try unsafe encode(nil, pictures, encoder, to: output)
    }

    /// Encodes a picture, or flushes with nil, and writes the packets that are ready.
    private func encode(
        _ picture: UnsafeMutablePointer<AVFrame>?,
        _ track: Int32,
        _ encoder: borrowing H264Encoder,
        to output: borrowing MovieOutput
    ) throws(MediaFailure) {
        let status = unsafe avcodec_send_frame(encoder.context, picture)
        guard status >= 0 else { throw .ffmpeg(.damaged, "a picture cannot be encoded", status) }
        var packet = unsafe av_packet_alloc()
        defer { unsafe av_packet_free(&packet) }
        guard let packet = unsafe packet else { throw MediaFailure(.damaged, "no memory for a packet") }
        while unsafe avcodec_receive_packet(encoder.context, packet) >= 0 {
            try unsafe output.write(packet, track: track, timeBase: encoder.context.pointee.time_base)
        }
    }
}
