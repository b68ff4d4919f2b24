package import PhotoModel

/// The name a device gives itself.
///
/// Shown with its fingerprint and compared for look-alikes; never an identity.
package struct DeviceName: Hashable, Sendable {
    /// The name as received.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Whether it contains anything but plain letters, digits and punctuation, and so is marked when shown.
    package var isMarked: Bool {
        text.unicodeScalars.contains { !(0x20...0x7E).contains($0.value) }
    }

    /// The name as people see it: case, separators, invisible characters and look-alike letters folded.
    ///
    /// Follows the skeletons of Unicode Technical Standard 39, section 4, for letters that look like Latin ones.
    package var skeleton: String {
        var skeleton = ""
        for scalar in text.lowercased().unicodeScalars
        where !scalar.isInvisibleControl && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) {
            skeleton.unicodeScalars.append(Self.lookAlikes[scalar] ?? scalar)
        }
        return skeleton
    }

    /// The name with the start of the key's fingerprint, unprintable characters as numbers, and a mark if needed.
    package func shown(with fingerprint: ContentDigest) -> String {
        let safe = text.unicodeScalars.map { scalar in
            scalar.isInvisibleControl || scalar.breaksLine
                ? "<U+\(String(scalar.value, radix: 16, uppercase: true))>" : String(scalar)
        }
        return "\(safe.joined()) [\(fingerprint.description.prefix(16))]" + (isMarked ? " (unusual characters)" : "")
    }

    /// Cyrillic and Greek letters and digits that look like Latin letters.
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
