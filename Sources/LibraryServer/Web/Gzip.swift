import CZlib

/// Compression of what is the same for everybody.
///
/// Answers that repeat secrets beside what a caller sent are never compressed: their length would tell of the secret
/// (BREACH). The page's own files hold neither.
enum Gzip {
    /// Bytes as one member (RFC 1952); nil where that is no shorter.
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
