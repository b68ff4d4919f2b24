/// Splits text into words for searching: one rule for the in-memory evaluator and the database index.
///
/// A word is a run of letters and digits, in lower case, without the accents of Latin letters, so that "cafe" finds
/// "Café" in either normal form. Base characters of other scripts are unchanged.
public enum SearchText {
    /// The words of a text, in order, with repetitions.
    public static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                // Looking up Unicode's properties of each letter took most of a usual text's time.
                if let letter = letter(scalar) {
                    word.unicodeScalars.append(letter)
                    continue
                }
            } else if scalar.properties.generalCategory == .nonspacingMark {
                continue
            } else if isWordScalar(scalar) {
                word += folded(scalar)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Whether every word of `query` is a prefix of some word of `texts`; a query without words matches nothing.
    public static func matches(query: String, texts: [String]) -> Bool {
        let wanted = words(of: query)
        guard !wanted.isEmpty else { return false }
        let present = texts.flatMap(words(of:))
        return wanted.allSatisfy { prefix in present.contains { $0.utf8.starts(with: prefix.utf8) } }
    }

    /// An ASCII letter in lower case, or a digit; nil for anything else.
    private static func letter(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "a"..."z", "0"..."9": scalar
        case "A"..."Z": Unicode.Scalar(scalar.value | 0x20)
        default: nil
        }
    }

    private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .spacingMark:
            true
        default: false
        }
    }

    /// Lower case without accents.
    ///
    /// The standard library offers no decomposition, but Unicode names do: the base of "LATIN SMALL LETTER E WITH
    /// ACUTE" comes before " WITH ".
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        let lowered = scalar.properties.lowercaseMapping
        guard let first = lowered.unicodeScalars.first, let name = first.properties.name else {
            return lowered
        }
        let prefix = "LATIN SMALL LETTER "
        guard name.hasPrefix(prefix) else { return lowered }
        let letter = name.dropFirst(prefix.count).prefix { $0 != " " }
        guard letter.utf8.count == 1, name.dropFirst(prefix.count + 1).hasPrefix(" WITH ") else { return lowered }
        return letter.lowercased()
    }
}
