import Persistence
import PhotoModel

/// A name for a downloaded file: never hidden, turned or a path, always with an extension that fits its bytes.
struct SafeFileName: Hashable {
    /// File systems allow 255 bytes; a partial download's suffix must fit too.
    private static let maximumByteCount = 230
    /// A longer extension, in bytes, is part of the name: no program knows it.
    private static let longestEnding = 16

    private let stem: String
    private let ending: String

    /// A name based on the original file name.
    init(_ name: FileName?, identifier: AssetID, contentType: String?) {
        let known = ContentAddress.fileExtension(of: contentType ?? "")
        let text = name.map { Self.visible($0.displayText.withoutDirectionControls) } ?? ""
        guard !text.isEmpty else {
            stem = identifier.description
            ending = known
            return
        }
        let dot = text.lastIndex(of: ".").flatMap { dot -> String.Index? in
            let length = text[dot...].utf8.count - 1
            return dot == text.startIndex || length > Self.longestEnding ? nil : dot
        }
        stem = String(dot.map { text[..<$0] } ?? text[...])
        ending = dot.map { String(text[text.index(after: $0)...]) } ?? known
    }

    private init(stem: String, ending: String) {
        self.stem = stem
        self.ending = ending
    }

    /// The movie's name beside a still with this name: programs recognise a pair by its common stem.
    func pairedMovie(with still: String) -> SafeFileName {
        let dot = still.lastIndex(of: ".") ?? still.endIndex
        return SafeFileName(stem: String(still[..<dot]), ending: "mov")
    }

    /// The name, or for attempts from 2 on with a number.
    func text(attempt: Int) -> String {
        let number = attempt > 1 ? " (\(attempt))" : ""
        let suffix = ending.isEmpty ? number : "\(number).\(ending)"
        var short = Substring(stem)
        // By scalars: a letter may have any number of marks, and a name without its stem would be hidden.
        while short.utf8.count > Self.maximumByteCount - suffix.utf8.count { short.unicodeScalars.removeLast() }
        return short + suffix
    }

    /// Removes what would hide the file, lead elsewhere, or control a terminal.
    private static func visible(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isPlain = scalar.properties.generalCategory != .control && scalar != "/" && scalar != "\\"
            return isPlain ? scalar : "_"
        }
        let plain = String(String.UnicodeScalarView(scalars))
        // A mark after the point makes both one letter other than a point, but the file would be hidden all the same.
        return scalars.first == "." ? "_" + String(plain.unicodeScalars.dropFirst()) : plain
    }
}
