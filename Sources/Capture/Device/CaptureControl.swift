/// A device setting, such as exposure or focus.
package struct CaptureControl: Hashable, Sendable, Identifiable {
    /// The kind of its values.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A quantity.
        case integer
        /// 0 for off, 1 for on.
        case boolean
        /// One of the items of ``CaptureControl/menu``.
        case menu
        /// Independent bits.
        case bitmask
    }

    /// One choice of a menu.
    package struct MenuItem: Hashable, Sendable {
        /// The value to set.
        package let value: Int64
        /// The driver's name for it.
        package let name: String

        package init(value: Int64, name: String) {
            self.value = value
            self.name = name
        }
    }

    /// The driver's identifier (`V4L2_CID_…`).
    package let id: UInt32
    /// The driver's name for it.
    package let name: String
    /// The kind of its values.
    package let kind: Kind
    /// The valid values.
    package let range: ClosedRange<Int64>
    /// The step between values.
    package let step: UInt64
    /// The value after a reset.
    package let defaultValue: Int64
    /// Whether it can currently be set; an automatic mode disables its manual counterpart.
    package let isWritable: Bool
    /// The choices of a menu, which may skip values of the range; empty for other kinds.
    package var menu: [MenuItem]

    package init(
        id: UInt32,
        name: String,
        kind: Kind = .integer,
        range: ClosedRange<Int64>,
        step: UInt64 = 1,
        defaultValue: Int64,
        isWritable: Bool = true,
        menu: [MenuItem] = []
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.range = range
        self.step = step
        self.defaultValue = defaultValue
        self.isWritable = isWritable
        self.menu = menu
    }
}
