import LibraryAPI

/// A device's limits, in the library and in progress.
package struct StoreLimits: Hashable, Sendable {
    /// Open uploads.
    package var openUploads = APILimits.openUploadsPerDevice
    /// Saved assets; nil without a quota.
    package var assets: Int64?
    /// Bytes of its assets, edits and open uploads together; nil without a quota.
    package var bytes: Int64?
    /// How long the bytes of replaced and reverted edits count: until their quarantine ends.
    package var quarantineDuration = Duration.seconds(30 * 86_400)

    /// Entries of one kind that a device by itself adds to the audit within an hour.
    package static let auditEntriesPerHour = 60

    /// The defaults: no quota.
    package init() {}
}
