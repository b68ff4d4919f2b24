package import Persistence
package import PhotoModel

/// One resource, open to be read.
package struct OpenResource: Sendable {
    /// What it is.
    package let resource: AssetResource
    /// Where it is.
    package let address: ContentAddress
    let file: any OpenFile
    let blocking: BlockingPool

    /// Reads some of its bytes.
    ///
    /// - Parameters:
    ///   - count: at most so many, a chunk and not the whole.
    ///   - offset: from there.
    /// - Returns: the bytes; fewer only at the end.
    /// - Throws: what the file system says.
    package func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await blocking.run { [file] in try file.read(count, at: offset) }
    }
}
