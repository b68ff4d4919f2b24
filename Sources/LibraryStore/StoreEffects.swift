import LibraryAPI
package import PhotoModel

/// The store's external inputs: time, randomness, and the receipt key.
package struct StoreEffects: Sendable {
    /// The server's clock.
    package let now: @Sendable () -> WallTime
    /// 128 random bits.
    package let randomBits: @Sendable () -> UInt128
    /// Signs receipts.
    package let signer: any ReceiptSigner

    package init(
        now: @escaping @Sendable () -> WallTime,
        randomBits: @escaping @Sendable () -> UInt128,
        signer: any ReceiptSigner
    ) {
        self.now = now
        self.randomBits = randomBits
        self.signer = signer
    }

    /// A new time-ordered identifier.
    package func identifier<ID: UniqueIdentifier>(_: ID.Type = ID.self) -> ID {
        var generator = BitsGenerator(bits: randomBits)
        return .version7(unixMilliseconds: now().millisecondsSince1970, using: &generator)
    }
}

/// Signs receipts; called by several threads inside the committing transaction, so it must be fast and must not block.
package protocol ReceiptSigner: Sendable {
    /// The key's identifier, for verifiers.
    var keyID: String { get }
    /// The signature over a receipt's canonical bytes.
    func signature(for bytes: [UInt8]) throws -> [UInt8]
}

extension ReceiptSigner {
    func sign(_ receipt: Receipt) throws -> SignedReceipt {
        SignedReceipt(receipt: receipt, keyID: keyID, signature: try signature(for: receipt.canonicalBytes))
    }
}

private struct BitsGenerator: RandomNumberGenerator {
    let bits: @Sendable () -> UInt128

    mutating func next() -> UInt64 { UInt64(truncatingIfNeeded: bits()) }
}
