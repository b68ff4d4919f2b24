/// What a comparison of rows, files and digests found.
package struct VerificationReport: Hashable, Sendable, Codable {
    /// One thing that is not as it should be.
    package struct Finding: Hashable, Sendable, Codable {
        /// What kind of thing.
        package enum Kind: String, Hashable, Sendable, Codable {
            /// A row names bytes that are not there.
            case missingBytes
            /// Bytes of another length than the row's.
            case wrongLength
            /// Bytes of another digest than their name's.
            case wrongDigest
            /// Bytes that no row names.
            case unreferencedBytes
            /// A file that is no content.
            case foreignFile
            /// Bytes that were missing and came back from quarantine.
            case restoredBytes
            /// Staged bytes that belong to no upload.
            case abandonedStaging
        }

        /// What kind of thing.
        package let kind: Kind
        /// Where: a path below the library's folders, or a digest.
        package let object: String
        /// Whether it was moved to quarantine.
        package let isQuarantined: Bool
    }

    /// What was found.
    package var findings: [Finding] = []
    /// Contents that were looked at.
    package var checkedContents = 0
    /// Their bytes.
    package var checkedBytes: Int64 = 0
    /// Whether digests were computed, not only lengths compared.
    package var hasHashed = false
}
