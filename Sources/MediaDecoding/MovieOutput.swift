import CFFmpegDecoding
import Glibc
import MediaWorker

/// A QuickTime movie that FFmpeg writes through a descriptor, up to a maximum size.
@safe
struct MovieOutput: ~Copyable {
    /// What FFmpeg writes to.
    private struct Target {
        let descriptor: Int32
        let byteCount: Int64
        var offset: Int64 = 0
        var end: Int64 = 0
        var isFull = false
    }

    private static let bufferByteCount: Int32 = 64 << 10

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let target: UnsafeMutablePointer<Target>

    /// Prepares an empty file, still owned by the caller, for a movie up to a size.
    ///
    /// The corresponding C functions are `avformat_alloc_output_context2` and `avio_alloc_context`.
    ///
    /// - Throws: `outputFailed`.
    init(_ descriptor: Int32, byteCount: Int) throws(MediaFailure) {
        var context: UnsafeMutablePointer<AVFormatContext>?
        let status = unsafe avformat_alloc_output_context2(&context, nil, "mov", nil)
        guard let context = unsafe context else { throw .ffmpeg(.outputFailed, "no movie can be written", status) }
        let target = UnsafeMutablePointer<Target>.allocate(capacity: 1)
        unsafe target.initialize(to: Target(descriptor: descriptor, byteCount: Int64(byteCount)))
        let buffer = unsafe av_malloc(Int(Self.bufferByteCount))
        let sink = unsafe avio_alloc_context(
            buffer?.assumingMemoryBound(to: UInt8.self),
            Self.bufferByteCount,
            1,
            target,
            nil,
            { opaque, bytes, count in
                guard let target = unsafe opaque?.assumingMemoryBound(to: Target.self) else { return -1 }
                return unsafe MovieOutput.write(bytes, Int(count), to: &target.pointee) ? count : -1
            },
            { opaque, offset, origin in
                guard let target = unsafe opaque?.assumingMemoryBound(to: Target.self) else { return -1 }
                return unsafe MovieOutput.seek(offset, origin, in: &target.pointee)
            }
        )
        guard let sink = unsafe sink else {
            unsafe av_free(buffer)
            unsafe target.deallocate()
            unsafe avformat_free_context(context)
            throw MediaFailure(.outputFailed, "no memory for a movie")
        }
        unsafe context.pointee.pb = unsafe sink
        unsafe self.context = unsafe context
        unsafe self.target = unsafe target
    }

    deinit {
        var sink = unsafe context.pointee.pb
        // The library may have replaced the buffer; the caller frees it all the same.
        if let sink = unsafe sink { unsafe av_free(sink.pointee.buffer) }
        unsafe avio_context_free(&sink)
        unsafe avformat_free_context(context)
        unsafe target.deallocate()
    }

    private static func write(_ bytes: UnsafeRawPointer?, _ count: Int, to target: inout Target) -> Bool {
        guard Int64(count) <= target.byteCount - target.offset else {
            target.isFull = true
            return false
        }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
        guard unsafe writeAll(buffer, to: target.descriptor, at: target.offset) else { return false }
        target.offset += Int64(buffer.count)
        target.end = max(target.end, target.offset)
        return true
    }

    private static func seek(_ offset: Int64, _ origin: Int32, in target: inout Target) -> Int64 {
        switch origin & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return target.end
        case SEEK_SET: target.offset = offset
        case SEEK_CUR: target.offset += offset
        case SEEK_END: target.offset = target.end + offset
        default: return -1
        }
        return target.offset
    }

    /// The bytes written so far.
    var byteCount: Int { Int(unsafe target.pointee.end) }

    /// Adds a track with the unit of its packets' times, and returns its number; all tracks must precede the header.
    ///
    /// The corresponding C function is `avformat_new_stream`.
    ///
    /// - Throws: `outputFailed`.
    func addTrack(
        timeBase: AVRational,
        describe: (UnsafeMutablePointer<AVStream>) -> Int32
    ) throws(MediaFailure) -> Int32 {
        guard let track = unsafe avformat_new_stream(context, nil) else {
            throw MediaFailure(.outputFailed, "no memory for a track")
        }
        let status = unsafe describe(track)
        guard status >= 0 else { throw .ffmpeg(.outputFailed, "a track cannot be described", status) }
        unsafe track.pointee.time_base = timeBase
        return unsafe track.pointee.index
    }

    /// Writes the header, with a movie's own metadata.
    ///
    /// The corresponding C functions are `av_dict_copy` and `avformat_write_header`.
    func begin(describedAs movie: borrowing MovieFile) throws(MediaFailure) {
        unsafe av_dict_copy(&context.pointee.metadata, movie.context.pointee.metadata, 0)
        var options: OpaquePointer?
        unsafe av_dict_set(&options, "movflags", "use_metadata_tags", 0)
        let status = unsafe avformat_write_header(context, &options)
        unsafe av_dict_free(&options)
        try require(status, "its sound cannot be kept in a QuickTime movie")
    }

    /// Writes a packet; packets of all tracks are interleaved by time.
    ///
    /// The corresponding C functions are `av_packet_rescale_ts` and `av_interleaved_write_frame`.
    func write(_ packet: UnsafeMutablePointer<AVPacket>, track: Int32, timeBase: AVRational) throws(MediaFailure) {
        unsafe packet.pointee.stream_index = track
        unsafe packet.pointee.pos = -1
        if let stream = unsafe context.pointee.streams[Int(track)] {
            unsafe av_packet_rescale_ts(packet, timeBase, stream.pointee.time_base)
        }
        try require(unsafe av_interleaved_write_frame(context, packet), "a packet cannot be written")
    }

    /// Writes the trailer.
    ///
    /// The corresponding C function is `av_write_trailer`.
    func finish() throws(MediaFailure) {
        try require(unsafe av_write_trailer(context), "the movie cannot be ended")
        unsafe avio_flush(context.pointee.pb)
        guard unsafe !target.pointee.isFull, byteCount > 0 else { throw full }
    }

    private func require(_ status: Int32, _ what: String) throws(MediaFailure) {
        guard unsafe !target.pointee.isFull else { throw full }
        guard status >= 0 else { throw .ffmpeg(.unsupported, what, status) }
    }

    private var full: MediaFailure {
        MediaFailure(.tooLarge, "the movie is larger than \(unsafe target.pointee.byteCount) bytes")
    }
}
