package import LibraryAPI

/// What takes a batch as it arrives: all manifests, then the bytes of each resource in their order.
package protocol BatchSink: Sendable {
    /// Takes the next manifest; what is wrong with it is told in the answer.
    func add(_ manifest: AssetManifest) async
    /// Begins the next resource, in the order of the manifests.
    ///
    /// Throws `malformedRequest` when the manifests describe no further resource, or one of another length.
    func beginResource(byteCount: Int64) async throws
    /// Takes bytes of the resource that was begun.
    func append(_ bytes: [UInt8]) async throws
    /// Ends the resource that was begun.
    func endResource() async throws
    /// Ends the batch; one result an asset, in the order of the manifests.
    func finish() async -> BatchResponse
    /// Gives up what is not durable yet, when the request broke off.
    func discard() async
}

extension BatchReceiver: BatchSink {}
