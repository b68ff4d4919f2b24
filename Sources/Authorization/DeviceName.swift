package import PhotoModel

/// What a device calls itself.
///
/// Shown with its fingerprint, compared for look-alikes, never an identity.
package struct DeviceName: Hashable, Sendable {
    /// The name as it came.
    package let text: String

    /// Takes any text.
    package init(_ text: String) {
        self.text = text
    }

    /// Whether it holds anything but plain letters, digits and punctuation, and is therefore marked where it is shown.
    package var isMarked: Bool {
        text.unicodeScalars.contains { !(0x20...0x7E).contains($0.value) }
    }

    /// The name as people see it: case, separators, invisible characters and look-alike letters made equal.
    ///
    /// In the spirit of the skeletons of Unicode Technical Standard 39, section 4, for the letters that pass for Latin.
    package var skeleton: String {
        var skeleton = ""
        for scalar in text.lowercased().unicodeScalars
        where !scalar.isInvisibleControl && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) {
            skeleton.unicodeScalars.append(Self.lookAlikes[scalar] ?? scalar)
        }
        return skeleton
    }

    /// Whether two names could be taken for each other.
    package func looksLike(_ other: DeviceName) -> Bool {
        skeleton == other.skeleton
    }

    /// The name with the start of the key's fingerprint, unprintable characters as their numbers, and a mark where due.
    package func shown(with fingerprint: ContentDigest) -> String {
        let safe = text.unicodeScalars.map { scalar in
            scalar.isInvisibleControl || scalar.breaksLine
                ? "<U+\(String(scalar.value, radix: 16, uppercase: true))>" : String(scalar)
        }
        return "\(safe.joined()) [\(fingerprint.description.prefix(16))]" + (isMarked ? " (unusual characters)" : "")
    }

    /// Cyrillic and Greek letters and digits that pass for Latin letters.
    private static let lookAlikes: [Unicode.Scalar: Unicode.Scalar] = {
        let pairs = zip(
            "аеорсухіјѕһԁԛԝвкмнтαορνυικτ0135".unicodeScalars,
            "aeopcyxijshdqwbkmhtaopvuiktoles".unicodeScalars
        )
        return Dictionary(
            pairs.map { ($0, $1 == "i" ? "l" : $1) } + [("i", "l")],
            uniquingKeysWith: { first, _ in first }
        )
    }()
}
