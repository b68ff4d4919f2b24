/// One thing that can be set on a device, such as exposure or focus.
package struct CaptureControl: Hashable, Sendable, Identifiable {
    /// What its values mean.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A quantity.
        case integer
        /// 0 for off, 1 for on.
        case boolean
        /// One of the items of ``CaptureControl/menu``.
        case menu
        /// Bits of their own.
        case bitmask
    }

    /// One choice of a menu.
    package struct MenuItem: Hashable, Sendable {
        /// The value to set.
        package let value: Int64
        /// The driver's name for it.
        package let name: String

        /// Describes a choice.
        package init(value: Int64, name: String) {
            self.value = value
            self.name = name
        }
    }

    /// The driver's number for it (`V4L2_CID_…`).
    package let id: UInt32
    /// The driver's name for it.
    package let name: String
    /// What its values mean.
    package let kind: Kind
    /// The values it takes.
    package let range: ClosedRange<Int64>
    /// The distance between two values.
    package let step: UInt64
    /// The value after a reset.
    package let defaultValue: Int64
    /// Whether it can be set now; an automatic mode makes its manual partner inactive.
    package let isWritable: Bool
    /// The choices of a menu, which may leave out values of the range; empty for other kinds.
    package var menu: [MenuItem]

    /// Describes a control.
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
