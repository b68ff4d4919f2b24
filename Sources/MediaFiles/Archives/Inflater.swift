import CZlibDecoding
import Persistence

/// Inflates one file of a ZIP archive from its beginning.
///
/// Safe because the handle is made and ended with the value, and never leaves it.
@safe
struct Inflater: ~Copyable {
    private static let inputByteCount = 256 << 10

    private let handle: UnsafeMutableRawPointer
    private let read: (_ count: Int, _ offset: Int) throws(PersistenceError) -> [UInt8]
    private var input: ArraySlice<UInt8> = []
    private var inputOffset = 0

    /// Begins at the first byte; reading returns at most this many deflated bytes at an offset, none at their end.
    ///
    /// The corresponding C function is `inflateInit2`.
    ///
    /// - Throws: `noSpace` if there is no memory.
    init(_ read: @escaping (_ count: Int, _ offset: Int) throws(PersistenceError) -> [UInt8]) throws(PersistenceError) {
        guard let handle = unsafe tt_inflate_begin() else {
            throw PersistenceError(.noSpace, "inflate", "", "there is no memory")
        }
        unsafe self.handle = handle
        self.read = read
    }

    /// The corresponding C function is `inflateEnd`.
    deinit { unsafe tt_inflate_end(handle) }

    /// Inflates the next bytes, fewer than the limit only at the end of the data, and returns whether that was reached.
    ///
    /// The corresponding C function is `inflate`.
    ///
    /// - Throws: `damaged` for invalid or truncated data, and reading errors.
    mutating func next(_ limit: Int) throws(PersistenceError) -> (bytes: [UInt8], isAtEnd: Bool) {
        var output = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            if input.isEmpty {
                let more = try read(Self.inputByteCount, inputOffset)
                inputOffset += more.count
                input = more[...]
            }
            let (result, taken, given) = step(into: &output, from: filled)
            input = input.dropFirst(taken)
            filled += given
            if result == 1 { return (Array(output[..<filled]), true) }
            guard result == 0, taken + given > 0 else {
                throw PersistenceError(.damaged, "inflate", "", "its bytes in the archive are damaged")
            }
        }
        return (output, false)
    }

    private func step(into output: inout [UInt8], from filled: Int) -> (result: Int32, taken: Int, given: Int) {
        var (taken, given) = (0, 0)
        let result = unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe tt_inflate_step(
                    handle,
                    source.baseAddress,
                    source.count,
                    &taken,
                    target.baseAddress.map { unsafe $0 + filled },
                    target.count - filled,
                    &given
                )
            }
        }
        return (result, taken, given)
    }
}

/// The CRC-32 of bytes read sequentially from the first.
struct RunningChecksum {
    private(set) var value: UInt32 = 0
    /// The number of bytes added.
    private(set) var byteCount = 0

    /// Adds bytes if they follow the previous ones; otherwise does nothing.
    ///
    /// The corresponding C function is `crc32_z`.
    mutating func add(_ bytes: [UInt8], at offset: Int) {
        guard offset <= byteCount, offset + bytes.count > byteCount else { return }
        let new = bytes[(byteCount - offset)...]
        value = unsafe new.withUnsafeBufferPointer { buffer in
            unsafe tt_inflate_checksum(value, buffer.baseAddress, buffer.count)
        }
        byteCount += new.count
    }
}
