import PhotoModel

/// Identifies one upload of one resource.
package struct UploadID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies a library permanently.
package struct LibraryID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies one unbroken history of a library; a new one is drawn after a restore.
package struct LibraryEpoch: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies one enrolment.
package struct EnrollmentID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The position of an admitted change in a library's single order; starts at 1, gapless within an epoch.
package struct ChangeNumber: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Before the first change.
    package static let zero = ChangeNumber(rawValue: 0)
    /// The number.
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// Decimal digits.
    package var description: String { "\(rawValue)" }
    /// Orders by admission.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies a picker session.
package struct PickerSessionID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies a limited device's request for more assets.
package struct ExpansionID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}
