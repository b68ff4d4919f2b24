package import Persistence
package import PhotoModel

/// One resource, open for reading.
package struct OpenResource: Sendable {
    /// The resource.
    package let resource: AssetResource
    /// Its content's address.
    package let address: ContentAddress
    let reader: any ContentReader

    /// Reads part of its bytes.
    ///
    /// - Parameters:
    ///   - count: the maximum number of bytes; a chunk, not the whole resource.
    ///   - offset: the first byte's offset.
    /// - Returns: the bytes; fewer only at the end.
    /// - Throws: the store's error.
    package func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await reader.read(count, at: offset)
    }

    /// Reads up to `count` bytes at an offset, fewer only at the end; blocks.
    package typealias Reading = @Sendable (_ count: Int, _ offset: Int64) throws -> [UInt8]

    /// Runs a parser that reads at any offset, on a thread that may block.
    ///
    /// - Parameter body: the parser, which gets the reader.
    /// - Returns: the body's result.
    /// - Throws: the body's error, and the store's.
    package func parsing<Value: Sendable>(
        _ body: @escaping @Sendable (_ read: @escaping Reading) throws -> Value
    ) async throws -> Value {
        try await reader.parsing(body)
    }
}
