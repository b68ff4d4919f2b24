package import PhotoModel

extension CivilTime {
    /// Noon of a date without a time of day, as XMP writes it (`2012-02-03`).
    ///
    /// Of a month (`1963-07`) or a year (`1963`) it is the first day, also if the rest is zeros (`1963-00-00`). Nil for
    /// any other text, and for the day of a clock that nobody set.
    package init?(day text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = zip(parts, [4, 2, 2]).compactMap { part, length in
            part.utf8.count == length && part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(part) : nil
        }
        guard let year = numbers.first, year > 0, numbers.count == parts.count else { return nil }
        let (month, day) = (numbers.dropFirst().first ?? 0, numbers.dropFirst(2).first ?? 0)
        let midnight = CivilTime(year: year, month: max(month, 1), day: max(day, 1))
        guard let midnight, month > 0 || day == 0, day == 0 || !midnight.isClockZero else { return nil }
        self.init(year: year, month: midnight.month, day: midnight.day, hour: 12)
    }
}
