/// The result of comparing rows, files and digests.
package struct VerificationReport: Hashable, Sendable, Codable {
    /// One finding.
    package struct Finding: Hashable, Sendable, Codable {
        /// The kind of finding.
        package struct Kind: RawRepresentable, Hashable, Sendable, Codable {
            /// The name on the wire.
            package let rawValue: String
            /// Any name; later servers may know more.
            package init(rawValue: String) { self.rawValue = rawValue }
            /// A row names missing bytes.
            package static let missingBytes = Kind(rawValue: "missingBytes")
            /// A row with a wrong length although the bytes match its digest; corrected.
            package static let correctedLength = Kind(rawValue: "correctedLength")
            /// A row without bytes that no asset uses; deleted.
            package static let forgottenRow = Kind(rawValue: "forgottenRow")
            /// The length differs from the row's.
            package static let wrongLength = Kind(rawValue: "wrongLength")
            /// The digest differs from the name's.
            package static let wrongDigest = Kind(rawValue: "wrongDigest")
            /// Bytes that no row names.
            package static let unreferencedBytes = Kind(rawValue: "unreferencedBytes")
            /// A file that is not content.
            package static let foreignFile = Kind(rawValue: "foreignFile")
            /// Missing bytes that were restored from quarantine.
            package static let restoredBytes = Kind(rawValue: "restoredBytes")
            /// Staged bytes that belong to no upload.
            package static let abandonedStaging = Kind(rawValue: "abandonedStaging")
            /// A receipt for an asset that does not exist and was not purged.
            package static let receiptWithoutAsset = Kind(rawValue: "receiptWithoutAsset")
            /// A receipt for originals that its asset does not have.
            package static let receiptDiffers = Kind(rawValue: "receiptDiffers")
        }

        /// The kind of finding.
        package var kind: Kind
        /// The location: a path below the library's folders, or a digest.
        package var object: String
        /// Whether it was moved to quarantine.
        package var isQuarantined: Bool

        package init(kind: Kind, object: String, isQuarantined: Bool) {
            self.kind = kind
            self.object = object
            self.isQuarantined = isQuarantined
        }
    }

    /// The findings; empty if all is well.
    package var findings: [Finding] = []
    /// Checked contents.
    package var checkedContents = 0
    /// Their bytes.
    package var checkedBytes: Int64 = 0
    /// Whether digests were computed, not only lengths compared.
    package var hasHashed = false

    /// An empty report.
    package init() {}
}
