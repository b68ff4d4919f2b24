import Persistence
import PhotoModel

/// A name for a file that came from a library: never hidden, never a path, always with an ending that fits its bytes.
struct SafeFileName: Hashable {
    private let stem: String
    private let ending: String

    /// A name after the one that the file had where it came from.
    init(_ name: FileName?, identifier: AssetID, contentType: String?) {
        let known = ContentAddress.fileExtension(of: contentType ?? "")
        let text = name.map { Self.visible($0.displayText) } ?? ""
        guard !text.isEmpty else {
            stem = identifier.description
            ending = known
            return
        }
        let dot = text.lastIndex(of: ".").flatMap { $0 == text.startIndex ? nil : $0 }
        stem = String(dot.map { text[..<$0] } ?? text[...])
        ending = dot.map { String(text[text.index(after: $0)...]) } ?? known
    }

    private init(stem: String, ending: String) {
        self.stem = stem
        self.ending = ending
    }

    /// The movie beside a still that was written under a name: programs know a pair by its common stem.
    func pairedMovie(with still: String) -> SafeFileName {
        let dot = still.lastIndex(of: ".") ?? still.endIndex
        return SafeFileName(stem: String(still[..<dot]), ending: "mov")
    }

    /// The name, or with a number from 2 on another one beside it.
    func text(attempt: Int) -> String {
        let number = attempt > 1 ? " (\(attempt))" : ""
        // 255 bytes are what file systems hold; a part's ending has to fit behind it.
        let room = 230 - number.utf8.count - ending.utf8.count
        var short = Substring(stem)
        while short.utf8.count > room { short.removeLast() }
        return ending.isEmpty ? "\(short)\(number)" : "\(short)\(number).\(ending)"
    }

    /// Without what would hide the file, lead elsewhere, or drive a terminal.
    private static func visible(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isPlain = scalar.properties.generalCategory != .control && scalar != "/" && scalar != "\\"
            return isPlain ? scalar : "_"
        }
        let plain = String(String.UnicodeScalarView(scalars))
        return plain.hasPrefix(".") ? "_" + plain.dropFirst() : plain
    }
}
