import LibraryAPI

/// What one device may have in the library, and under way.
package struct StoreLimits: Hashable, Sendable {
    /// Uploads that it may have open.
    package var openUploads = APILimits.openUploadsPerDevice
    /// Assets that it may have saved; nil without a quota.
    package var assets: Int64?
    /// Bytes that its assets and its open uploads may have together; nil without a quota.
    package var bytes: Int64?

    /// The usual limits: no quota.
    package init() {}
}
