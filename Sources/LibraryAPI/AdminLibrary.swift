/// The library's counts and sizes, on `Endpoint.adminStatistics`.
package struct StatisticsAnswer: Hashable, Sendable, Codable {
    /// Assets that are not in the trash.
    package var assets: Int
    /// Assets in the trash.
    package var trashed: Int
    /// Albums.
    package var albums: Int
    /// Different contents.
    package var contents: Int
    /// Bytes of all contents.
    package var contentBytes: Int64
    /// Uploads under way.
    package var uploads: Int
    /// Contents in quarantine.
    package var quarantined: Int
    /// Devices.
    package var devices: Int
    /// The last change that was admitted.
    package var lastChange: ChangeNumber

    /// A library in which nothing has happened yet.
    package init() {
        (assets, trashed, albums, contents, contentBytes) = (0, 0, 0, 0, 0)
        (uploads, quarantined, devices, lastChange) = (0, 0, 0, .zero)
    }
}

/// What a comparison of rows, files and digests found, on `Endpoint.adminVerify`.
package struct VerificationAnswer: Hashable, Sendable, Codable {
    /// One thing that is not as it should be.
    package struct Finding: Hashable, Sendable, Codable {
        /// What kind of thing: `missingBytes`, `wrongLength`, `wrongDigest`, `unreferencedBytes`, `foreignFile` or
        /// `abandonedStaging`; later servers may know more.
        package var kind: String
        /// Where: a path below the library's folders, or a digest.
        package var object: String
        /// Whether it was moved to quarantine.
        package var isQuarantined: Bool

        /// Takes the finding as it is.
        package init(kind: String, object: String, isQuarantined: Bool) {
            self.kind = kind
            self.object = object
            self.isQuarantined = isQuarantined
        }
    }

    /// What was found; empty when all is well.
    package var findings: [Finding]
    /// Contents that were looked at.
    package var checkedContents: Int
    /// Bytes of the contents that were looked at.
    package var checkedBytes: Int64
    /// Whether digests were computed, not only lengths compared.
    package var hasHashed: Bool

    /// Takes the parts as they are.
    package init(findings: [Finding], checkedContents: Int, checkedBytes: Int64, hasHashed: Bool) {
        self.findings = findings
        self.checkedContents = checkedContents
        self.checkedBytes = checkedBytes
        self.hasHashed = hasHashed
    }
}
