import Persistence
import PhotoModel

/// A name for a downloaded file: never hidden, turned or a path, always with an extension that fits its bytes.
struct SafeFileName: Hashable {
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
        let dot = text.lastIndex(of: ".").flatMap { $0 == text.startIndex ? nil : $0 }
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
        // File systems allow 255 bytes; a partial download's suffix must fit too.
        let room = 230 - number.utf8.count - ending.utf8.count
        var short = Substring(stem)
        while short.utf8.count > room { short.removeLast() }
        return ending.isEmpty ? "\(short)\(number)" : "\(short)\(number).\(ending)"
    }

    /// Removes what would hide the file, lead elsewhere, or control a terminal.
    private static func visible(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isPlain = scalar.properties.generalCategory != .control && scalar != "/" && scalar != "\\"
            return isPlain ? scalar : "_"
        }
        let plain = String(String.UnicodeScalarView(scalars))
        return plain.hasPrefix(".") ? "_" + plain.dropFirst() : plain
    }
}
