package import LibraryAPI

/// A viewer's position in the change feed: after which change, in which history, under which view.
package struct ChangePosition: Hashable, Sendable {
    /// The history that the number counts in.
    package let epoch: LibraryEpoch
    /// The version of the viewer's grant; a position of another version has expired.
    package let viewVersion: UInt64
    /// The last delivered change.
    package let number: ChangeNumber
    /// The viewer holds nothing removed up to here: the last change when an enumeration began, or `number`.
    package let floor: ChangeNumber
    /// The last change up to which a limited viewer was told what left its view: `number`, or later between two pages.
    package let departures: ChangeNumber

    /// Takes the parts.
    package init(
        epoch: LibraryEpoch,
        viewVersion: UInt64,
        number: ChangeNumber,
        floor: ChangeNumber = .zero,
        departures: ChangeNumber = .zero
    ) {
        self.epoch = epoch
        self.viewVersion = viewVersion
        self.number = number
        self.floor = max(number, floor)
        self.departures = max(number, departures)
    }
}
