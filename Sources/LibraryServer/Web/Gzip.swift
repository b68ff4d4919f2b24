import CZlib

/// Compresses content that is the same for everybody.
///
/// Responses that contain secrets beside caller-supplied text are never compressed: their length would leak the secret
/// (BREACH). The page's own files contain neither.
enum Gzip {
    /// Bytes as one gzip member (RFC 1952); nil if not shorter.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var made = [UInt8](repeating: 0, count: tt_gzip_bound(bytes.count))
        let count = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe made.withUnsafeMutableBufferPointer { target in
                unsafe tt_gzip(source.baseAddress, source.count, target.baseAddress, target.count)
            }
        }
        guard 0 < count, count < bytes.count else { return nil }
        return Array(made[..<count])
    }
}
