import Crypto

/// How a file is kept so that only who has the key can read it, and nobody can change it unnoticed.
///
///     8 bytes    "TTSEAL1\n"
///     32 bytes   salt: random, of this file alone
///     chunks     65,536 bytes of the plain file each, the last one shorter or equal, never missing:
///                encrypted bytes, as many, and a tag of 16 bytes
///
/// A file's key is HKDF-SHA256 (RFC 5869) of the queue's key with the salt. A chunk is sealed by ChaCha20-Poly1305 (RFC 8439),
/// which is quick on processors without AES too; its nonce is 7 zero bytes, the chunk's number in 4 bytes, big-endian, and 1
/// for the last chunk, 0 for the others (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, CRYPTO 2015).
/// Chunks that are changed, moved, repeated, cut off or appended are therefore found when they are read. The number of bytes
/// follows from the file's length, and is not secret.
struct SealedFormat {
    static let magic: [UInt8] = Array("TTSEAL1\n".utf8)
    static let saltByteCount = 32
    static let headerByteCount = Int64(magic.count + saltByteCount)
    static let chunkByteCount = 65_536
    static let tagByteCount = 16
    static let sealedChunkByteCount = Int64(chunkByteCount + tagByteCount)
    /// What a number of 4 bytes can count: 256 TiB.
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

    /// Bytes of the plain file; nil for a length that no sealed file has.
    static func plainByteCount(ofSealed byteCount: Int64) -> Int64? {
        let payload = byteCount - headerByteCount
        guard payload >= Int64(tagByteCount) else { return nil }
        let chunks = (payload - 1) / sealedChunkByteCount + 1
        let plain = payload - chunks * Int64(tagByteCount)
        // The last chunk has at least a tag, and a byte unless it is the only one.
        guard plain > (chunks - 1) * Int64(chunkByteCount) || (chunks == 1 && plain == 0) else { return nil }
        return plain
    }

    /// How many chunks so many plain bytes are.
    static func chunkCount(ofPlain byteCount: Int64) -> Int64 {
        max(1, (byteCount + Int64(chunkByteCount) - 1) / Int64(chunkByteCount))
    }

    /// Where a chunk begins in the sealed file.
    static func offset(ofChunk number: Int64) -> Int64 { headerByteCount + number * sealedChunkByteCount }

    /// A chunk as it is kept.
    func seal(_ bytes: ArraySlice<UInt8>, number: Int64, isLast: Bool) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(bytes, using: key, nonce: Self.nonce(number, isLast))
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// The plain bytes of a chunk.
    ///
    /// - Throws: when it is not what was sealed as this chunk of this file.
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
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
        return try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 7) + digits + [isLast ? 1 : 0])
    }
}
