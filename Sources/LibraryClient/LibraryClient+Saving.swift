package import LibraryAPI
package import PhotoModel

/// An upload's position, as reported by the server.
package struct UploadPosition: Hashable, Sendable {
    /// The number of durable bytes.
    package var offset: Int64
    /// Whether the upload is complete with the right digest.
    package var isComplete: Bool
}

/// One asset of a batch: its manifest and its resources' bytes in the manifest's order.
package struct BatchItem: Sendable {
    /// The asset's manifest, as JSON.
    package var manifest: [UInt8]
    /// One source per resource, in the manifest's order.
    package var sources: [BodySource]

    package init(manifest: [UInt8], sources: [BodySource]) {
        self.manifest = manifest
        self.sources = sources
    }
}

extension LibraryClient {
    /// Describes an asset; repeating it returns the same uploads with their offsets.
    package func createAsset(_ manifest: AssetManifest) async throws(LibraryClientError) -> AssetCreationResponse {
        try await call(.createAsset, body: manifest)
    }

    /// The position of an upload (draft-ietf-httpbis-resumable-upload, section 4.3).
    package func position(of upload: UploadID) async throws(LibraryClientError) -> UploadPosition {
        let answer = try await send(try request(.uploadOffset, [upload]))
        return try position(in: answer)
    }

    /// Appends bytes to an upload (draft-ietf-httpbis-resumable-upload, section 4.4).
    ///
    /// - Parameters:
    ///   - upload: the upload.
    ///   - offset: the offset of the first byte.
    ///   - source: the bytes.
    ///   - isLast: whether they complete the upload.
    ///   - digest: their SHA-256.
    /// - Returns: the upload's new position.
    /// - Throws: `upload.offset_mismatch` with the right offset, and every other refusal.
    package func append(
        to upload: UploadID,
        at offset: Int64,
        _ source: BodySource,
        isLast: Bool,
        digest: ContentDigest
    ) async throws(LibraryClientError) -> UploadPosition {
        var request = try request(.appendUpload, [upload])
        let headers = UploadHeaders(offset: offset, isComplete: isLast, contentDigest: digest)
        request.fields += headers.fields
        request.fields.append((UploadHeaders.Name.interopVersion, "\(UploadHeaders.interopVersion)"))
        request.fields.append(("Content-Type", UploadHeaders.partialUpload))
        request.body = .source(source)
        // The stall limit cuts off slow links; there is no limit on the total time.
        request.timeout = nil
        return try position(in: try await send(request))
    }

    /// Makes an asset visible, and returns the receipt; repeating it returns the same one.
    package func commit(_ asset: AssetID) async throws(LibraryClientError) -> CommitResponse {
        try await call(.commitAsset, [asset])
    }

    /// Sends many small assets at once.
    ///
    /// - Parameter items: 1 to `APILimits.batchAssetCount` assets that fit `APILimits.batchByteCount` together.
    /// - Returns: one result per asset, in order.
    /// - Throws: a refusal of the whole batch.
    package func batch(_ items: [BatchItem]) async throws(LibraryClientError) -> BatchResponse {
        var parts = [BodySource(BatchFraming.magic)]
        for item in items {
            let head = BatchFraming.head(.manifest, byteCount: Int64(item.manifest.count))
            parts.append(BodySource(head + item.manifest))
        }
        for source in items.flatMap(\.sources) {
            parts += [BodySource(BatchFraming.head(.resource, byteCount: source.byteCount)), source]
        }
        parts.append(BodySource(BatchFraming.head(.end, byteCount: 0)))
        var request = try request(.createBatch, [])
        request.fields.append(("Content-Type", BatchFraming.contentType))
        request.body = .source(BodySource(joining: parts))
        request.timeout = nil
        return try decode(try await send(request), as: BatchResponse.self)
    }

    /// The receipt of one asset.
    package func receipt(_ asset: AssetID) async throws(LibraryClientError) -> SignedReceipt {
        try await call(.receipt, [asset])
    }

    private func position(in answer: TransportResponse) throws(LibraryClientError) -> UploadPosition {
        let headers = UploadHeaders { answer.field($0) }
        guard let offset = headers.offset else {
            throw LibraryClientError(malformed: "the answer has no Upload-Offset")
        }
        return UploadPosition(offset: offset, isComplete: headers.isComplete ?? false)
    }
}
