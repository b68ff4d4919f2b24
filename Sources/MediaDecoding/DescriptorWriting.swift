import Glibc

/// Writes bytes to a place in a file, in as many steps as it takes; false, with `errno`, if it cannot.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) -> Bool {
    var written = 0
    while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
        guard count > 0 else { return false }
        written += count
    }
    return true
}
