package import PhotoModel

/// What a device that is being retired says of what it still has to deliver, with a contact.
///
/// The first list that it tells to its end is the whole: from then on nothing else is taken from it.
package struct DrainReport: Hashable, Sendable, Codable {
    /// A page of the assets that it holds and has not delivered, at most `APILimits.announcedCount`.
    package var announced: [AssetID]
    /// Whether the list ends with this page.
    package var isWhole: Bool
    /// Whether nothing of the list is left that could be delivered: with that the device's rights end.
    package var isDelivered: Bool

    package init(announced: [AssetID] = [], isWhole: Bool, isDelivered: Bool = false) {
        self.announced = announced
        self.isWhole = isWhole
        self.isDelivered = isDelivered
    }
}

/// How far a device that is being retired has come.
package struct DrainProgress: Hashable, Sendable, Codable {
    /// Whether it has said what it still holds; before that it has not heard that it is being retired.
    package var isAnnounced: Bool
    /// Announced assets that the library does not have yet.
    package var remainingCount: Int
    /// Whether it has delivered, and its rights have ended with this answer.
    package var isEnded: Bool

    package init(isAnnounced: Bool, remainingCount: Int, isEnded: Bool = false) {
        self.isAnnounced = isAnnounced
        self.remainingCount = remainingCount
        self.isEnded = isEnded
    }
}
