/// What a comparison of rows, files and digests found.
package struct VerificationReport: Hashable, Sendable, Codable {
    /// One thing that is not as it should be.
    package struct Finding: Hashable, Sendable, Codable {
        /// What kind of thing.
        package struct Kind: RawRepresentable, Hashable, Sendable, Codable {
            /// The name on the wire.
            package let rawValue: String
            /// Any name; later servers may know more.
            package init(rawValue: String) { self.rawValue = rawValue }
            /// A row names bytes that are not there.
            package static let missingBytes = Kind(rawValue: "missingBytes")
            /// Bytes of another length than the row's.
            package static let wrongLength = Kind(rawValue: "wrongLength")
            /// Bytes of another digest than their name's.
            package static let wrongDigest = Kind(rawValue: "wrongDigest")
            /// Bytes that no row names.
            package static let unreferencedBytes = Kind(rawValue: "unreferencedBytes")
            /// A file that is no content.
            package static let foreignFile = Kind(rawValue: "foreignFile")
            /// Bytes that were missing and came back from quarantine.
            package static let restoredBytes = Kind(rawValue: "restoredBytes")
            /// Staged bytes that belong to no upload.
            package static let abandonedStaging = Kind(rawValue: "abandonedStaging")
            /// A receipt for an asset that is not there, and that nobody purged.
            package static let receiptWithoutAsset = Kind(rawValue: "receiptWithoutAsset")
            /// A receipt that promises originals which its asset does not have.
            package static let receiptDiffers = Kind(rawValue: "receiptDiffers")
        }

        /// What kind of thing.
        package var kind: Kind
        /// Where: a path below the library's folders, or a digest.
        package var object: String
        /// Whether it was moved to quarantine.
        package var isQuarantined: Bool

        package init(kind: Kind, object: String, isQuarantined: Bool) {
            self.kind = kind
            self.object = object
            self.isQuarantined = isQuarantined
        }
    }

    /// What was found; empty when all is well.
    package var findings: [Finding] = []
    /// Contents that were looked at.
    package var checkedContents = 0
    /// Their bytes.
    package var checkedBytes: Int64 = 0
    /// Whether digests were computed, not only lengths compared.
    package var hasHashed = false

    /// Nothing looked at yet.
    package init() {}
}
