import CBrotli
import CZlib

/// The content codings of lists and the page's files (RFC 9110, section 8.4.1), named as in `Accept-Encoding`.
///
/// Responses that contain secrets beside text that others choose are never compressed, because their length would leak
/// the secret (BREACH). The page's files contain neither. Lists contain words from photos, but no credentials: the
/// timeline's token is encrypted again for each response, and works only with its bearer's own login or certificate.
enum ContentCoding: String, CaseIterable {
    /// RFC 7932. Browsers accept it only over TLS.
    case brotli = "br"
    /// RFC 1952.
    case gzip

    enum Effort {
        /// For a response to one caller: 300 photos take a millisecond with Brotli, 2 to 3 with gzip.
        case answer
        /// For files that are compressed once: the page's take most of a second with Brotli.
        case once
    }

    /// The best coding that a caller accepts; nil if it accepts none.
    static func preferred(by call: Call) -> ContentCoding? {
        allCases.first { call.accepts(coding: $0.rawValue) }
    }

    /// Compresses bytes; nil if that makes them no shorter.
    func compress(_ bytes: [UInt8], _ effort: Effort) -> [UInt8]? {
        let made =
            switch self {
            case .brotli: Self.brotli(bytes, quality: effort == .once ? BROTLI_MAX_QUALITY : 3)
            case .gzip: Self.gzip(bytes, level: effort == .once ? 9 : 4)
            }
        return made.isEmpty || made.count >= bytes.count ? nil : made
    }

    private static func brotli(_ bytes: [UInt8], quality: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: BrotliEncoderMaxCompressedSize(bytes.count)) { target, count in
            var length = target.count
            let isMade = unsafe BrotliEncoderCompress(
                quality,
                BROTLI_DEFAULT_WINDOW,
                BROTLI_MODE_TEXT,
                bytes.count,
                bytes,
                &length,
                target.baseAddress
            )
            count = isMade == BROTLI_TRUE ? length : 0
        }
    }

    private static func gzip(_ bytes: [UInt8], level: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: tt_gzip_bound(bytes.count)) { target, count in
            count = unsafe tt_gzip(bytes, bytes.count, level, target.baseAddress, target.count)
        }
    }
}
