import CFFmpeg
import SystemPackage

/// Writes a QuickTime movie with libavformat; its `moov` comes last.
@safe
struct MovieMuxer: ~Copyable {
    /// "hvc1" as libavformat packs codes, first character in the lowest byte.
    private static let hvc1: UInt32 = 0x3163_7668

    private let context: UnsafeMutablePointer<AVFormatContext>
    private var isHeaderWritten = false

    /// Creates the file, overwriting any existing one.
    init(_ path: FilePath) throws(MediaEncodingError) {
        var context: UnsafeMutablePointer<AVFormatContext>?
        try checkStatus(
            unsafe avformat_alloc_output_context2(&context, nil, "mov", path.string),
            .containerFailed,
            "starting a movie"
        )
        guard let some = unsafe context else {
            throw MediaEncodingError(.containerFailed, "no memory for a movie")
        }
        let status = unsafe avio_open(&some.pointee.pb, path.string, AVIO_FLAG_WRITE)
        if status < 0 { unsafe avformat_free_context(some) }
        try checkStatus(status, .fileFailed, "opening \(path)")
        unsafe self.context = unsafe some
    }

    deinit {
        unsafe avio_closep(&context.pointee.pb)
        unsafe avformat_free_context(context)
    }

    /// Adds a track for an encoder, and returns its number; all tracks must precede the header.
    ///
    /// - Throws: `containerFailed`.
    func addTrack(_ codec: borrowing CodecContext) throws(MediaEncodingError) -> Int32 {
        guard let stream = unsafe avformat_new_stream(context, nil) else {
            throw MediaEncodingError(.containerFailed, "no memory for a track")
        }
        try checkStatus(
            unsafe avcodec_parameters_from_context(stream.pointee.codecpar, codec.pointer),
            .containerFailed,
            "describing a track"
        )
        // QuickTime plays HEVC only if parameter sets are in the description, which this name promises.
        if unsafe codec.pointer.pointee.codec_id == AV_CODEC_ID_HEVC {
            unsafe stream.pointee.codecpar.pointee.codec_tag = Self.hvc1
        }
        unsafe stream.pointee.time_base = codec.pointer.pointee.time_base
        unsafe stream.pointee.avg_frame_rate = codec.pointer.pointee.framerate
        return unsafe stream.pointee.index
    }

    /// Sets the matrix that shows a video track's pictures upright.
    ///
    /// The corresponding C function is `av_packet_side_data_new`, or `av_stream_new_side_data` before FFmpeg 6.1.
    func setMatrix(_ matrix: [Int32], ofTrack track: Int32) throws(MediaEncodingError) {
        let byteCount = matrix.count * MemoryLayout<Int32>.size
        guard let stream = unsafe context.pointee.streams[Int(track)],
            let memory = unsafe tt_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, byteCount)
        else {
            throw MediaEncodingError(.containerFailed, "no memory for a track's matrix")
        }
        unsafe matrix.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount).copyMemory(from: bytes)
        }
    }

    /// Writes the file's beginning.
    mutating func writeHeader() throws(MediaEncodingError) {
        var options: OpaquePointer?
        unsafe av_dict_set(&options, "movie_timescale", String(MovieTime.timescale), 0)
        unsafe av_dict_set(&options, "video_track_timescale", String(MovieTime.timescale), 0)
        let status = unsafe avformat_write_header(context, &options)
        unsafe av_dict_free(&options)
        try checkStatus(status, .containerFailed, "beginning a movie")
        isHeaderWritten = true
    }

    /// Writes a packet of a track; packets of all tracks are interleaved by time.
    func write(
        _ packet: UnsafeMutablePointer<AVPacket>,
        track: Int32,
        from codec: borrowing CodecContext
    ) throws(MediaEncodingError) {
        unsafe packet.pointee.stream_index = track
        guard let stream = unsafe context.pointee.streams[Int(track)] else {
            throw MediaEncodingError(.containerFailed, "a track is missing")
        }
        unsafe av_packet_rescale_ts(packet, codec.pointer.pointee.time_base, stream.pointee.time_base)
        try checkStatus(unsafe av_interleaved_write_frame(context, packet), .containerFailed, "writing a movie")
    }

    /// Writes the rest and closes the file.
    mutating func finish() throws(MediaEncodingError) {
        guard isHeaderWritten else { throw MediaEncodingError(.containerFailed, "a movie without a beginning") }
        try checkStatus(unsafe av_write_trailer(context), .containerFailed, "ending a movie")
        try checkStatus(unsafe avio_closep(&context.pointee.pb), .fileFailed, "closing a movie")
    }
}
