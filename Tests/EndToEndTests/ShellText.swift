/// Shell text as documents and help show it, taken apart as far as commands are concerned.
struct ShellText {
    /// One command without redirections.
    struct Command {
        /// The program without its folder.
        let program: String
        let arguments: [String]
        /// Whether it runs under xargs, which adds arguments.
        let isFed: Bool
    }

    /// Every command, those in `$(…)` included.
    private(set) var commands: [Command] = []

    private var words: [String] = []
    private var word: String?

    /// Takes text apart; a backslash or a pipe at a line's end goes on in the next.
    init(_ text: String) {
        let joined = text.replacing(/\s*\\\n\s*/, with: " ").replacing(/\|\s*\n\s*/, with: "| ")
        for line in joined.split(separator: "\n") { read(line.hasPrefix("$ ") ? line.dropFirst(2) : line) }
    }

    private mutating func read(_ line: Substring) {
        var rest = line[...]
        while let character = rest.first {
            switch character {
            case "'", "\"":
                let end = rest.dropFirst().firstIndex(of: character) ?? rest.endIndex
                let inner = rest[rest.index(after: rest.startIndex)..<end]
                // Substitution goes on between double quotes.
                if character == "\"", let open = inner.firstRange(of: "$(") {
                    substitute(inner[open.upperBound...].dropLast())
                }
                word = (word ?? "") + inner
                rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
            case "$" where rest.dropFirst().first == "(":
                let end = rest.firstIndex(of: ")") ?? rest.endIndex
                substitute(rest[rest.index(rest.startIndex, offsetBy: 2)..<end])
                word = (word ?? "") + "VALUE"
                rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
            case "#" where word == nil: rest = ""
            case "|", ";", "&", "<", ">":
                if word != "2" { endWord() }
                word = nil
                // What a redirection names is no argument.
                if character == "<" || character == ">" { words.append("\u{0}") } else { endCommand() }
                rest = rest.dropFirst()
            case " ":
                endWord()
                rest = rest.dropFirst()
            default:
                word = (word ?? "") + String(character)
                rest = rest.dropFirst()
            }
        }
        endWord()
        endCommand()
    }

    private mutating func substitute(_ text: Substring) { commands += ShellText(String(text)).commands }

    private mutating func endWord() {
        guard let word else { return }
        if words.last == "\u{0}" { words.removeLast() } else { words.append(word) }
        self.word = nil
    }

    private mutating func endCommand() {
        var rest = words[...]
        words = []
        var isFed = false
        while let first = rest.first {
            if first == "sudo" || first == "runuser" {
                rest = rest.dropFirst()
                if rest.first == "-u" { rest = rest.dropFirst(2) }
                if rest.first == "--" { rest = rest.dropFirst() }
            } else if first == "xargs" || first.contains(/^[A-Za-z_]+=/) {
                isFed = isFed || first == "xargs"
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        guard let program = rest.first?.split(separator: "/").last else { return }
        commands.append(Command(program: String(program), arguments: Array(rest.dropFirst()), isFed: isFed))
    }
}
