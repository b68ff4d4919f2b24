import Glibc

extension TerminalTraits {
    /// The columns of the terminal behind a descriptor; 80 if it does not say.
    package static func columnCount(of descriptor: Int32) -> Int {
        var size = winsize()
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
