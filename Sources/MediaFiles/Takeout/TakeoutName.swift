/// The names under which a Google Takeout writes a file and the JSON document about it.
///
/// The document of `IMG_1.jpg` is `IMG_1.jpg.json` in exports until 2024, and `IMG_1.jpg.supplemental-metadata.json` since
/// then. The part before `.json` is truncated to 46 UTF-16 units, anywhere: `.supplemental-me.json`, `..json`, `.jp.json`.
/// Files of one name in one folder are numbered, before the ending in the file (`IMG_1(1).jpg`), and after what was cut in the
/// document (`IMG_1.jpg(1).json`, `IMG_1.jpg.supplemental-metadata(1).json`).
struct TakeoutName: Hashable {
    private static let addition = "supplemental-metadata"
    private static let ending = ".json"
    /// Names are truncated to 46 units, or 45 if the 46th is the first half of a surrogate pair.
    private static let shortestCut = 45

    /// The name without its number.
    let base: String
    /// The number among files of one name; nil for the first.
    let number: Int?

    private init(base: String, number: Int?) {
        self.base = base
        self.number = number
    }

    /// Reads the name of a photo or movie.
    init(file name: String) {
        let parts = Self.parts(name)
        let (stem, number) = Self.number(atEndOf: parts.stem)
        self.init(base: stem + parts.ending, number: number)
    }

    /// Reads the name of a document: the described file's name, and whether it may be truncated; nil for a name without
    /// the ending.
    static func document(_ name: String) -> (name: Self, isCut: Bool)? {
        guard name.count > ending.count, name.lowercased().hasSuffix(ending) else { return nil }
        let (whole, number) = number(atEndOf: String(name.dropLast(ending.count)))
        let isCut = whole.utf16.count >= shortestCut
        guard let dot = whole.lastIndex(of: "."), dot != whole.startIndex,
            addition.hasPrefix(whole[whole.index(after: dot)...])
        else { return (Self(base: whole, number: number), isCut) }
        return (Self(base: String(whole[..<dot]), number: number), isCut)
    }

    /// The name without its extension.
    var withoutEnding: Self { Self(base: Self.parts(base).stem, number: number) }

    /// The name of the first file among those of one name.
    var withoutNumber: Self { Self(base: base, number: nil) }

    /// The name of the original if this is an edited version: `IMG_1` of `IMG_1-edited.jpg`, in any language.
    var original: Self? {
        let stem = Self.parts(base).stem
        guard let dash = stem.lastIndex(of: "-"), dash != stem.startIndex else { return nil }
        let word = stem[stem.index(after: dash)...]
        guard 2...20 ~= word.count, word.allSatisfy({ $0.isLetter || $0 == " " }) else { return nil }
        return Self(base: String(stem[..<dash]), number: number)
    }

    /// Splits a name before its last dot.
    static func parts(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    private static func number(atEndOf text: String) -> (String, Int?) {
        guard text.last == ")", let open = text.lastIndex(of: "("), open != text.startIndex else { return (text, nil) }
        let digits = text[text.index(after: open)...].dropLast()
        guard 1...6 ~= digits.count, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits) else {
            return (text, nil)
        }
        return (String(text[..<open]), number)
    }
}
