import CFFmpegDecoding
import CVips
import MediaWorker

extension MediaFailure {
    /// Converts libvips' last error, clearing its error buffer.
    ///
    /// The corresponding C functions are `vips_error_buffer` and `vips_error_clear`.
    static func vips(_ code: Code, _ what: String) -> MediaFailure {
        let text = unsafe String(cString: vips_error_buffer())
        vips_error_clear()
        let line = text.split(separator: "\n").first.map(String.init) ?? "no reason is given"
        return MediaFailure(code, "\(what): \(line)")
    }

    /// Converts a negative FFmpeg status.
    ///
    /// The corresponding C function is `av_strerror`.
    static func ffmpeg(_ code: Code, _ what: String, _ status: Int32) -> MediaFailure {
        var text = [CChar](repeating: 0, count: 128)
        unsafe av_strerror(status, &text, text.count)
        let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return MediaFailure(code, "\(what): \(reason)")
    }
}
