package import PhotoModel

/// One of EXIF's dates: the raw text and the two tags that refine it (Exif 2.32, 4.6.5, D).
package struct ExifDate: Hashable, Sendable {
    /// `YYYY:MM:DD hh:mm:ss`, or anything else the writer put there.
    package var text: String?
    /// The digits of the fractional second.
    package var subSecond: String?
    /// `±hh:mm`.
    package var offset: String?

    /// An absent date.
    package init() {}

    /// Encodes a clock reading with its fraction and offset.
    package init(_ time: CivilTime) {
        let parts = [
            time.year.digits(4), time.month.digits(2),
            time.day.digits(2) + " " + time.hour.digits(2),
            time.minute.digits(2), time.second.digits(2),
        ]
        text = parts.joined(separator: ":")
        subSecond = time.microsecond == 0 ? nil : time.microsecond.digits(6)
        offset = time.utcOffsetSeconds.map(CivilTime.offsetText)
    }

    /// The clock reading; nil if absent or not a date, such as `0000:00:00 00:00:00`.
    package var civilTime: CivilTime? {
        guard let text else { return nil }
        var characters = Array(text.utf8)
        guard characters.count >= 19 else { return nil }
        characters[4] = UInt8(ascii: "-")
        characters[7] = UInt8(ascii: "-")
        characters[10] = UInt8(ascii: "T")
        let date = String(decoding: characters.prefix(19), as: UTF8.self)
        let rest = String(decoding: characters.dropFirst(19), as: UTF8.self)
        let fraction = subSecond.map { "." + $0.prefix { $0.isASCII && $0.isNumber } } ?? ""
        let zone = offset ?? (rest.hasPrefix("+") || rest.hasPrefix("-") || rest == "Z" ? rest : "")
        return CivilTime(date + (fraction.count > 1 ? fraction : "") + zone) ?? CivilTime(date)
    }
}
