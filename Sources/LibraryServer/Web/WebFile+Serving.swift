extension WebFile {
    /// The file as sent to browsers: scripts and styles without comments and indentation.
    ///
    /// Comments that share a line with code stay. No multi-line string has a line that looks like a comment; a test
    /// checks that.
    var served: WebFile {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return self }
        var lines: [Substring.UTF8View] = []
        var isInComment = false
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            let endsComment = text.hasSuffix("*/")
            if isInComment {
                isInComment = !endsComment
            } else if text.hasPrefix("/*"), endsComment || !text.contains("*/") {
                isInComment = !endsComment
            } else if !text.hasPrefix("//") {
                lines.append(text.utf8)
            }
        }
        return WebFile(name, Array(lines.joined(separator: "\n".utf8)))
    }
}
