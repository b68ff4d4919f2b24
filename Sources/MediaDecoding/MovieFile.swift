import CFFmpegDecoding
import Glibc
import MediaWorker
import PhotoModel

/// A movie that FFmpeg reads through a descriptor: no name, no network, only cameras' containers.
@safe
struct MovieFile: ~Copyable {
    /// The accepted containers; playlists and others that refer to further files are excluded.
    private static let containers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg"
    private static let bufferByteCount: Int32 = 64 << 10
    /// The most packets read to find one picture.
    private static let packetCount = 4000

    let context: UnsafeMutablePointer<AVFormatContext>
    let decoder: UnsafeMutablePointer<AVCodecContext>
    let stream: Int32
    private let input: MovieInput

    /// Opens the container, whose file the caller still owns, and the decoder of its best video track, with pictures up
    /// to a number of pixels.
    ///
    /// The corresponding C functions are `avformat_open_input`, `avformat_find_stream_info` and `avcodec_open2`.
    ///
    /// - Throws: `unsupported` for other containers, or a track without a decoder.
    init(_ descriptor: Int32, pixelCount: Int) throws(MediaFailure) {
        let input = try MovieInput(descriptor, bufferByteCount: Self.bufferByteCount)
        var context = unsafe avformat_alloc_context()
        guard unsafe context != nil else { throw MediaFailure(.damaged, "no memory for a movie") }
        unsafe context?.pointee.pb = unsafe input.pointer
        var options: OpaquePointer?
        unsafe av_dict_set(&options, "format_whitelist", Self.containers, 0)
        unsafe av_dict_set(&options, "protocol_whitelist", "", 0)
        var status = unsafe avformat_open_input(&context, "", nil, &options)
        unsafe av_dict_free(&options)
        // The call frees a context that it cannot open.
        guard status >= 0, let opened = unsafe context else { throw .ffmpeg(.unsupported, "no movie", status) }
        var codec: UnsafePointer<AVCodec>?
        status = unsafe avformat_find_stream_info(opened, nil)
        if status >= 0 { status = unsafe av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0) }
        let stream = status
        var decoder = unsafe status >= 0 ? avcodec_alloc_context3(codec) : nil
        if status >= 0, let decoder = unsafe decoder, let track = unsafe opened.pointee.streams[Int(stream)] {
            status = unsafe avcodec_parameters_to_context(decoder, track.pointee.codecpar)
            unsafe decoder.pointee.thread_count = 1
            unsafe decoder.pointee.max_pixels = Int64(pixelCount)
            if status >= 0 { status = unsafe avcodec_open2(decoder, codec, nil) }
        }
        guard status >= 0, let ready = unsafe decoder else {
            unsafe avcodec_free_context(&decoder)
            unsafe avformat_close_input(&context)
            throw .ffmpeg(.unsupported, "no video track that can be decoded", min(status, -1))
        }
        unsafe self.context = unsafe opened
        unsafe self.decoder = unsafe ready
        self.stream = stream
        self.input = input
    }

    deinit {
        var (decoder, context) = unsafe (Optional(self.decoder), Optional(self.context))
        unsafe avcodec_free_context(&decoder)
        unsafe avformat_close_input(&context)
    }

    /// The codec's name.
    var codec: String { unsafe String(cString: avcodec_get_name(decoder.pointee.codec_id)) }

    /// The stored width and height.
    var size: PixelSize {
        PixelSize(width: Int(unsafe decoder.pointee.width), height: Int(unsafe decoder.pointee.height))
    }

    /// The duration in milliseconds; nil if the file does not say.
    var durationMilliseconds: Int64? {
        let duration = unsafe context.pointee.duration
        return duration == tt_no_time || duration < 0 ? nil : duration / 1000
    }

    /// The number of clockwise quarter turns to show a picture upright, from the track's matrix.
    ///
    /// The corresponding C functions are `av_packet_side_data_get` and `av_display_rotation_get`.
    var quarterTurns: Int {
        var count = 0
        guard let track = unsafe context.pointee.streams[Int(stream)],
            let bytes = unsafe tt_stream_side_data(track, AV_PKT_DATA_DISPLAYMATRIX, &count), count >= 36
        else { return 0 }
        let degrees = unsafe UnsafeRawPointer(bytes).withMemoryRebound(to: Int32.self, capacity: 9) { matrix in
            unsafe av_display_rotation_get(matrix)
        }
        return degrees.isFinite ? Int((-degrees / 90).rounded()) & 3 : 0
    }

    /// A picture that represents the movie: a tenth into it, at most 3 seconds; else the first that can be decoded.
    func poster() throws(MediaFailure) -> MovieFrame {
        let frame = try MovieFrame()
        if let duration = durationMilliseconds, duration > 0 {
            let target = min(duration * 1000 / 10, 3_000_000)
            if unsafe av_seek_frame(context, -1, target, AVSEEK_FLAG_BACKWARD) >= 0, decode(into: frame) {
                return frame
            }
            unsafe avcodec_flush_buffers(decoder)
            unsafe av_seek_frame(context, -1, 0, AVSEEK_FLAG_BACKWARD)
        }
        guard decode(into: frame) else { throw MediaFailure(.damaged, "no picture of the movie can be decoded") }
        return frame
    }

    /// Decodes the next picture; false at the end.
    private func decode(into frame: borrowing MovieFrame) -> Bool {
        var packet = unsafe av_packet_alloc()
        defer { unsafe av_packet_free(&packet) }
        guard let packet = unsafe packet else { return false }
        for _ in 0..<Self.packetCount {
            let read = unsafe av_read_frame(context, packet)
            defer { unsafe av_packet_unref(packet) }
            if read >= 0, unsafe packet.pointee.stream_index != stream { continue }
            // Nil at the end flushes the decoder; damaged packets are skipped.
            unsafe avcodec_send_packet(decoder, read >= 0 ? packet : nil)
            if unsafe avcodec_receive_frame(decoder, frame.pointer) >= 0 { return true }
            if read < 0 { return false }
        }
        return false
    }
}

/// The I/O context through which FFmpeg reads a descriptor.
@safe
private struct MovieInput: ~Copyable {
    let pointer: UnsafeMutablePointer<AVIOContext>
    private let descriptor: UnsafeMutablePointer<Int32>

    /// The corresponding C function is `avio_alloc_context`.
    init(_ number: Int32, bufferByteCount: Int32) throws(MediaFailure) {
        let descriptor = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        unsafe descriptor.initialize(to: number)
        let buffer = unsafe av_malloc(Int(bufferByteCount))
        let context = unsafe avio_alloc_context(
            buffer?.assumingMemoryBound(to: UInt8.self),
            bufferByteCount,
            0,
            descriptor,
            { opaque, bytes, count in
                guard let number = unsafe opaque?.load(as: Int32.self) else { return tt_end }
                let read = unsafe Glibc.read(number, bytes, Int(count))
                return read > 0 ? Int32(read) : tt_end
            },
            nil,
            { opaque, offset, origin in
                guard let number = unsafe opaque?.load(as: Int32.self) else { return -1 }
                if origin & AVSEEK_SIZE != 0 {
                    var status = stat()
                    return unsafe fstat(number, &status) == 0 ? Int64(status.st_size) : -1
                }
                return Int64(lseek(number, off_t(offset), origin & ~AVSEEK_FORCE))
            }
        )
        guard let context = unsafe context else {
            unsafe av_free(buffer)
            unsafe descriptor.deallocate()
            throw MediaFailure(.damaged, "no memory for a movie")
        }
        unsafe self.descriptor = unsafe descriptor
        unsafe pointer = unsafe context
    }

    deinit {
        // The library may have replaced the buffer; the caller frees it all the same.
        unsafe av_free(pointer.pointee.buffer)
        var context = unsafe Optional(pointer)
        unsafe avio_context_free(&context)
        unsafe descriptor.deallocate()
    }
}

/// One decoded picture of a movie.
@safe
struct MovieFrame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(MediaFailure) {
        guard let frame = unsafe av_frame_alloc() else { throw MediaFailure(.damaged, "no memory for a picture") }
        unsafe pointer = unsafe frame
    }

    deinit {
        var frame = unsafe Optional(pointer)
        unsafe av_frame_free(&frame)
    }

    /// The stored width and height.
    var size: PixelSize {
        PixelSize(width: Int(unsafe pointer.pointee.width), height: Int(unsafe pointer.pointee.height))
    }

    /// The pixels as 8-bit red, green and blue, without row padding.
    ///
    /// The corresponding C function is `sws_scale`.
    func rgb(pixelCount: Int) throws(MediaFailure) -> [UInt8] {
        let size = size
        guard size.width > 0, size.height > 0, size.width <= pixelCount / size.height else {
            throw MediaFailure(.tooLarge, "a picture of \(size)")
        }
        let (width, height) = (Int32(size.width), Int32(size.height))
        let scaler = unsafe sws_getContext(
            width,
            height,
            AVPixelFormat(rawValue: pointer.pointee.format),
            width,
            height,
            AV_PIX_FMT_RGB24,
            SWS_BILINEAR | SWS_ACCURATE_RND,
            nil,
            nil,
            nil
        )
        guard let scaler = unsafe scaler else { throw MediaFailure(.unsupported, "its pixels cannot be converted") }
        defer { unsafe sws_freeContext(scaler) }
        let count = size.width * size.height * 3
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let planes = unsafe [buffer.baseAddress, nil, nil, nil]
            let strides = [width * 3, 0, 0, 0]
            let rows = unsafe withUnsafePointer(to: pointer.pointee.data) { data in
                unsafe data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { sources in
                    unsafe withUnsafePointer(to: pointer.pointee.linesize) { lines in
                        unsafe lines.withMemoryRebound(to: Int32.self, capacity: 8) { sourceStrides in
                            unsafe sws_scale(scaler, sources, sourceStrides, 0, height, planes, strides)
                        }
                    }
                }
            }
            initialized = rows == height ? count : 0
        }
    }
}
