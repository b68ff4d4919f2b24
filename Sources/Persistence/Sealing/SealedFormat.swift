import Crypto
import PhotoModel

/// A file format that only the holder of the key can read, and nobody can change undetected.
///
///     8 bytes    "TTSEAL1\n"
///     32 bytes   salt: random, unique to this file
///     chunks     65,536 bytes of the plain file each, the last one shorter or equal, never missing:
///                encrypted bytes, as many, and a tag of 16 bytes
///
/// A file's key is HKDF-SHA256 (RFC 5869) of the queue's key with the salt. A chunk is sealed with ChaCha20-Poly1305
/// (RFC 8439), which is fast even without AES instructions; its nonce is 7 zero bytes, the chunk's number in 4 bytes,
/// big-endian, and 1 for the last chunk, 0 for the others (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
/// Vizár, CRYPTO 2015). Changed, moved, repeated, truncated or appended chunks are therefore detected on reading. The
/// plain length follows from the file's length, and is not secret.
struct SealedFormat {
    static let magic: [UInt8] = Array("TTSEAL1\n".utf8)
    static let saltByteCount = 32
    static let headerByteCount = Int64(magic.count + saltByteCount)
    static let chunkByteCount = 65_536
    static let tagByteCount = 16
    static let sealedChunkByteCount = Int64(chunkByteCount + tagByteCount)
    /// The most that a 4-byte number can count: 256 TiB.
    static let chunkLimit = Int64(UInt32.max)

    private let key: SymmetricKey

    init(_ key: SymmetricKey, salt: [UInt8]) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: salt,
            info: Array("tintype sealed file 1".utf8),
            outputByteCount: 32
        )
    }

    /// The plaintext length; nil if no sealed file has this length.
    static func plainByteCount(ofSealed byteCount: Int64) -> Int64? {
        let payload = byteCount - headerByteCount
        guard payload >= Int64(tagByteCount) else { return nil }
        let chunks = (payload - 1) / sealedChunkByteCount + 1
        let plain = payload - chunks * Int64(tagByteCount)
        // The last chunk has a tag, and at least one byte unless it is the only chunk.
        guard plain > (chunks - 1) * Int64(chunkByteCount) || (chunks == 1 && plain == 0) else { return nil }
        return plain
    }

    /// The number of chunks for a plain length.
    static func chunkCount(ofPlain byteCount: Int64) -> Int64 {
        max(1, (byteCount + Int64(chunkByteCount) - 1) / Int64(chunkByteCount))
    }

    /// A chunk's offset in the sealed file.
    static func offset(ofChunk number: Int64) -> Int64 { headerByteCount + number * sealedChunkByteCount }

    /// Seals a chunk.
    func seal(_ bytes: ArraySlice<UInt8>, number: Int64, isLast: Bool) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(bytes, using: key, nonce: Self.nonce(number, isLast))
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Opens a chunk.
    ///
    /// - Throws: if it was not sealed as this chunk of this file.
    func open(_ sealed: [UInt8], number: Int64, isLast: Bool) throws -> [UInt8] {
        let split = sealed.count - Self.tagByteCount
        guard split >= 0 else { throw CryptoKitError.incorrectParameterSize }
        let box = try ChaChaPoly.SealedBox(
            nonce: Self.nonce(number, isLast),
            ciphertext: sealed[..<split],
            tag: sealed[split...]
        )
        return Array(try ChaChaPoly.open(box, using: key))
    }

    private static func nonce(_ number: Int64, _ isLast: Bool) throws -> ChaChaPoly.Nonce {
        let counter = UInt32(truncatingIfNeeded: number)
        return try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 7) + counter.bigEndianBytes + [isLast ? 1 : 0])
    }
}
