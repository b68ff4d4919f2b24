extension BinaryInteger {
    /// The decimal digits, with zeros in front of a number that has fewer than `count`.
    package func digits(_ count: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
