import LibraryAPI
import Persistence

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
    /// Signs receipts and writes them out on all processors: together that is a fifth of a commit, and commits have one
    /// writer.
    ///
    /// Blocks.
    ///
    /// - Parameter receipts: what is to be signed.
    /// - Returns: the receipts in their order.
    /// - Throws: what the key says; then none is given.
    func seal(_ receipts: [Receipt]) throws -> [SealedReceipt] {
        // Sixteen signatures are some milliseconds of work.
        try receipts.concurrentMap(by: 16) { try SealedReceipt(sign($0)) }
    }
}
