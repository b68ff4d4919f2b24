import PhotoModel

/// Opaque state of the library as one viewer sees it; what a device hands back to be told what came after.
package struct ChangeToken: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The text, which only the server reads.
    package let text: String

    /// Takes a token as it came.
    package init(text: String) { self.text = text }

    /// The text.
    package var description: String { text }

    /// Reads one string.
    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes one string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// What a token means to the server: after which change, in which history, under which view.
///
/// Its text is a version digit, then the epoch, the view version and the change number in hexadecimal, joined by dots; of
/// an enumeration that is not at its end also the number at its beginning.
package struct ChangePosition: Hashable, Sendable {
    /// The history that the number counts in.
    package let epoch: LibraryEpoch
    /// The version of the viewer's grant; a token of another version has expired.
    package let viewVersion: UInt64
    /// The last change that was told.
    package let number: ChangeNumber
    /// Nothing is held that was removed up to here: the last change when an enumeration began, or `number`.
    package let floor: ChangeNumber

    /// Takes the parts as they are.
    package init(epoch: LibraryEpoch, viewVersion: UInt64, number: ChangeNumber, floor: ChangeNumber = .zero) {
        self.epoch = epoch
        self.viewVersion = viewVersion
        self.number = number
        self.floor = max(number, floor)
    }

    /// Reads a token; nil for one that this server did not make.
    package init?(_ token: ChangeToken) {
        let parts = token.text.split(separator: ".", omittingEmptySubsequences: false)
        guard token.text.utf8.count <= 96, 4...5 ~= parts.count, parts[0] == "1",
            let epoch = LibraryEpoch(String(parts[1])),
            let version = UInt64(parts[2], radix: 16), let number = Int64(parts[3], radix: 16), number >= 0
        else { return nil }
        let floor = parts.count == 5 ? Int64(parts[4], radix: 16) : number
        guard let floor, floor >= 0 else { return nil }
        self.init(
            epoch: epoch,
            viewVersion: version,
            number: ChangeNumber(rawValue: number),
            floor: ChangeNumber(rawValue: floor)
        )
        guard self.token == token else { return nil }
    }

    /// The token.
    package var token: ChangeToken {
        let end = floor > number ? ".\(String(floor.rawValue, radix: 16))" : ""
        return ChangeToken(
            text: "1.\(epoch).\(String(viewVersion, radix: 16)).\(String(number.rawValue, radix: 16))\(end)"
        )
    }
}
