package import LibraryAPI

/// Receives a batch: all manifests, then the bytes of each resource in order.
package protocol BatchSink: Sendable {
    /// Adds the next manifest; its problems are reported in the response.
    func add(_ manifest: AssetManifest) async
    /// Begins the next resource, in manifest order.
    ///
    /// Throws `malformedRequest` if the manifests describe no further resource, or one of another length.
    func beginResource(byteCount: Int64) async throws
    /// Adds bytes to the current resource.
    func append(_ bytes: [UInt8]) async throws
    /// Ends the current resource.
    func endResource() async throws
    /// Ends the batch; one result per asset, in manifest order.
    func finish() async -> BatchResponse
    /// Drops whatever is not durable yet, after the request was interrupted.
    func discard() async
}

extension BatchReceiver: BatchSink {}
