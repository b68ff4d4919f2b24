import PhotoModel

/// Names one upload: one resource of one asset on its way.
package struct UploadID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names one library for good.
package struct LibraryID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names one unbroken history of a library: drawn anew when it is restored from a backup.
package struct LibraryEpoch: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names one asking to become a device.
package struct EnrollmentID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The place of an admitted change in a library's one order; starts at 1, gapless within an epoch.
package struct ChangeNumber: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Before the first change.
    package static let zero = ChangeNumber(rawValue: 0)
    /// The number.
    package let rawValue: Int64
    /// Wraps the number as it is.
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// Decimal digits.
    package var description: String { "\(rawValue)" }
    /// Orders as the changes were admitted.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Names one picker session.
package struct PickerSessionID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names one limited device's question for more.
package struct ExpansionID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}
