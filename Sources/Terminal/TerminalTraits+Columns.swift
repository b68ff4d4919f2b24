import Glibc

extension TerminalTraits {
    /// What standard output can show; colours unless `NO_COLOR` (no-color.org) or a dumb terminal forbids them.
    package static func ofStandardOutput(environment: [String: String]) -> TerminalTraits {
        guard isatty(STDOUT_FILENO) == 1 else { return TerminalTraits() }
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        return TerminalTraits(columnCount: columnCount(of: STDOUT_FILENO), hasColors: !isPlain)
    }

    /// The columns of the terminal behind a descriptor; 80 if it does not say.
    package static func columnCount(of descriptor: Int32) -> Int {
        var size = winsize()
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
