package import PhotoModel

/// A draining device's report of what it still has to deliver, sent with a contact.
///
/// The first complete list is final: afterwards nothing else is accepted from the device.
package struct DrainReport: Hashable, Sendable, Codable {
    /// A page of the assets it holds and has not delivered, at most `APILimits.announcedCount`.
    package var announced: [AssetID]
    /// Whether the list ends with this page.
    package var isWhole: Bool
    /// Whether everything deliverable on the list was delivered; then the device's rights end.
    package var isDelivered: Bool

    package init(announced: [AssetID] = [], isWhole: Bool, isDelivered: Bool = false) {
        self.announced = announced
        self.isWhole = isWhole
        self.isDelivered = isDelivered
    }
}

/// The progress of a draining device.
package struct DrainProgress: Hashable, Sendable, Codable {
    /// Whether it has announced what it still holds; if not, it does not know yet that it is being retired.
    package var isAnnounced: Bool
    /// Announced assets the library does not have yet.
    package var remainingCount: Int
    /// Whether it has delivered everything, and its rights end with this response.
    package var isEnded: Bool

    package init(isAnnounced: Bool, remainingCount: Int, isEnded: Bool = false) {
        self.isAnnounced = isAnnounced
        self.remainingCount = remainingCount
        self.isEnded = isEnded
    }
}
