package import Persistence
package import PhotoModel

/// One resource, open to be read.
package struct OpenResource: Sendable {
    /// What it is.
    package let resource: AssetResource
    /// Where it is.
    package let address: ContentAddress
    let reader: any ContentReader

    /// Reads some of its bytes.
    ///
    /// - Parameters:
    ///   - count: the most bytes; a chunk, not the whole.
    ///   - offset: from there.
    /// - Returns: the bytes; fewer only at the end.
    /// - Throws: what the store says.
    package func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await reader.read(count, at: offset)
    }

    /// Reads at most this many bytes from an offset on, fewer only at the end; blocks.
    package typealias Reading = @Sendable (_ count: Int, _ offset: Int64) throws -> [UInt8]

    /// Lets a parser read here and there, on a thread that may block.
    ///
    /// - Parameter body: gets what reads.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws, and what the store says.
    package func parsing<Value: Sendable>(
        _ body: @escaping @Sendable (_ read: @escaping Reading) throws -> Value
    ) async throws -> Value {
        try await reader.parsing(body)
    }
}
