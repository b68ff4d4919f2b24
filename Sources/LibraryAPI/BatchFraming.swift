import PhotoModel

/// The body of a batch: `application/vnd.tintype.batch`.
///
/// Eight bytes `TTBATCH1`, then frames: a kind byte, a length of 8 bytes (big-endian) and that many bytes:
///
/// - `M` the manifest of one asset as JSON; all manifests come first;
/// - `R` the bytes of one resource: those of the first manifest in its order, then those of the second, and so on;
/// - `E` the end, with no bytes; nothing follows.
///
/// Invariants: 1 to 256 manifests of at most 256 KiB, at most 64 MiB in total. Lengths are checked against these limits
/// before anything is read, so that a hostile one costs nothing.
package enum BatchFraming {
    /// The media type.
    package static let contentType = "application/vnd.tintype.batch"
    /// The signature of a batch.
    package static let magic: [UInt8] = Array("TTBATCH1".utf8)
    /// Bytes of a frame's header.
    package static let headByteCount = 9

    /// The content of a frame.
    package enum FrameKind: UInt8, Sendable {
        /// A manifest.
        case manifest = 0x4D
        /// A resource's bytes.
        case resource = 0x52
        /// Empty: the end.
        case end = 0x45
    }

    /// A frame's header.
    package static func head(_ kind: FrameKind, byteCount: Int64) -> [UInt8] {
        [kind.rawValue] + byteCount.bigEndianBytes
    }

    /// The size of a whole batch.
    ///
    /// - Parameters:
    ///   - manifests: bytes of each manifest.
    ///   - resources: bytes of each resource.
    /// - Returns: the `Content-Length`; nil if it exceeds a batch.
    package static func byteCount(manifests: [Int], resources: [Int64]) -> Int64? {
        var total = Int64(magic.count + headByteCount)
        for count in manifests.map(Int64.init) + resources {
            let (sum, overflowed) = total.addingReportingOverflow(count)
            guard count >= 0, !overflowed, sum <= APILimits.batchByteCount - Int64(headByteCount) else { return nil }
            total = sum + Int64(headByteCount)
        }
        return total
    }
}

/// Why bytes are not a batch.
package enum BatchProblem: Error, Hashable, Sendable {
    /// It does not begin with the signature.
    case notABatch
    /// A frame of an unknown kind, or an out-of-place one.
    case unexpectedFrame(UInt8)
    /// A manifest, their number, or the whole exceeds its limit.
    case tooLarge
    /// Bytes after the end.
    case trailingBytes
    /// It ends early.
    case truncated

    /// The response to the device.
    package var details: ProblemDetails {
        switch self {
        case .notABatch: ProblemDetails(.malformedRequest, "The body is not a batch: it must begin with TTBATCH1.")
        case .unexpectedFrame(let kind):
            ProblemDetails(.malformedRequest, "A frame of kind \(kind) is out of order: manifests, resources, end.")
        case .tooLarge:
            ProblemDetails(
                .tooLarge,
                "A batch holds 1 to \(APILimits.batchAssetCount) assets and at most \(APILimits.batchByteCount) "
                    + "bytes: send fewer, or use uploads."
            )
        case .trailingBytes: ProblemDetails(.malformedRequest, "Nothing may follow the end of a batch.")
        case .truncated: ProblemDetails(.malformedRequest, "The batch is truncated: send it again.")
        }
    }
}
