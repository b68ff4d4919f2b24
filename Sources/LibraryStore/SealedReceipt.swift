import Dispatch
import LibraryAPI
import Synchronization

/// A signed receipt with the text that its row keeps.
struct SealedReceipt: Sendable {
    let signed: SignedReceipt
    let text: String

    init(_ signed: SignedReceipt) throws {
        self.signed = signed
        text = try JSONColumn.encode(signed)
    }
}

extension ReceiptSigner {
    /// Receipts that one task takes: some milliseconds of work.
    private static var shareCount: Int { 16 }

    /// Signs receipts and writes them out on all processors: together that is a fifth of a commit, and commits have one
    /// writer.
    ///
    /// Blocks.
    ///
    /// - Parameter receipts: what is to be signed.
    /// - Returns: the receipts in their order.
    /// - Throws: what the key says; then none is given.
    func seal(_ receipts: [Receipt]) throws -> [SealedReceipt] {
        let shares = Mutex<[Int: Result<[SealedReceipt], any Error>]>([:])
        let shareCount = (receipts.count + Self.shareCount - 1) / Self.shareCount
        DispatchQueue.concurrentPerform(iterations: shareCount) { index in
            let share = receipts.dropFirst(index * Self.shareCount).prefix(Self.shareCount)
            let sealed = Result { try share.map { try SealedReceipt(sign($0)) } }
            shares.withLock { $0[index] = sealed }
        }
        return try shares.withLock { shares in
            try (0..<shareCount).flatMap { try shares[$0]?.get() ?? [] }
        }
    }
}
