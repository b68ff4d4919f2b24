import LibraryAPI
import Persistence

/// A signed receipt with its stored text.
struct SealedReceipt: Sendable {
    let signed: SignedReceipt
    let text: String

    init(_ signed: SignedReceipt) throws {
        self.signed = signed
        text = try JSONColumn.encode(signed)
    }
}

extension ReceiptSigner {
    /// Signs and encodes receipts on all processors: that is a fifth of a commit, and commits have a single writer.
    ///
    /// Blocks.
    ///
    /// - Returns: the receipts, in order.
    /// - Throws: the key's error; none is returned then.
    func seal(_ receipts: [Receipt]) throws -> [SealedReceipt] {
        // Sixteen signatures are some milliseconds of work.
        try receipts.concurrentMap(by: 16) { try SealedReceipt(sign($0)) }
    }
}
