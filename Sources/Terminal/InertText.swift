/// Text that a terminal displays but does not interpret.
///
/// Names, captions and reasons come from devices and people. Control characters (including ESC and the one-character
/// CSI of ISO/IEC 6429), line breaks, and characters that change text direction or are invisible are written as
/// `\u{1B}`, so that foreign text cannot move the cursor, colour, hide or forge a line. This type and a program's own
/// styles are the only ways to a terminal.
package struct InertText: Hashable, Sendable, CustomStringConvertible {
    /// More combining marks on one letter would overlap neighbouring lines.
    private static let maximumMarkCount = 4

    /// The displayable text.
    package let description: String

    /// Makes a text inert.
    package init(_ text: String) {
        var result = ""
        var marks = 0
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            let joinsEmoji = scalar == "\u{200D}" && previous?.isEmojiPart ?? false
            if joinsEmoji || (scalar.isInert && marks <= Self.maximumMarkCount) {
                result.unicodeScalars.append(scalar)
            } else {
                result += Self.escape(scalar)
            }
            previous = scalar
        }
        description = result
    }

    /// Its width in terminal columns.
    package var width: Int { description.reduce(0) { $0 + $1.terminalWidth } }

    /// The text truncated to this many columns, with an ellipsis if shortened.
    package func truncated(to limit: Int) -> String {
        guard width > limit else { return description }
        var result = ""
        var used = 0
        for character in description {
            guard used + character.terminalWidth < limit else { break }
            used += character.terminalWidth
            result.append(character)
        }
        return limit > 0 ? result + "…" : ""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal only displays it.
    package var isInert: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        // Variation selectors only choose a form of the preceding letter.
        case .nonspacingMark: !(0xFE00...0xFE0F).contains(value)
        case .enclosingMark: true
        default: false
        }
    }

    fileprivate var isEmojiPart: Bool {
        value > 0x7F && (properties.isEmoji || properties.isEmojiModifier || value == 0xFE0F)
    }
}

extension Character {
    /// Blocks of double-width characters (Unicode Standard Annex 11: W and F), merged when close.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x20000...0x3FFFD,
    ]

    /// Its width in terminal columns.
    fileprivate var terminalWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.isASCII, unicodeScalars.count == 1 { return 1 }
        let isEmoji = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
        return isEmoji || Self.wideRanges.contains { $0.contains(first.value) } ? 2 : first.isMark ? 0 : 1
    }
}
