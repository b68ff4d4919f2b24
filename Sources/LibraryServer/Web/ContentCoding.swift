import CZlib

/// Compresses the page's files, and lists.
///
/// Responses that contain secrets beside text that others choose are never compressed: their length would leak the secret
/// (BREACH). The page's files contain neither. Lists contain words from photos, but nothing that lets anyone in: the
/// timeline's token is encrypted again for each answer, and needs its bearer's own login or certificate.
enum Gzip {
    /// Processor time for bytes, as zlib's levels.
    enum Effort: Int32 {
        /// For an answer that is made for one caller: 400 photos take 2 to 4 ms. Level 9 takes three times as long and
        /// saves 4 per cent.
        case answer = 4
        /// For what is compressed once, when the server starts.
        case once = 9
    }

    /// Bytes as one gzip member (RFC 1952); nil if not shorter.
    static func compress(_ bytes: [UInt8], _ effort: Effort) -> [UInt8]? {
        var made = [UInt8](repeating: 0, count: tt_gzip_bound(bytes.count))
        let count = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe made.withUnsafeMutableBufferPointer { target in
                unsafe tt_gzip(source.baseAddress, source.count, effort.rawValue, target.baseAddress, target.count)
            }
        }
        guard 0 < count, count < bytes.count else { return nil }
        return Array(made[..<count])
    }
}
