package import PhotoModel

/// People's texts about a photo in IPTC's older form (IPTC-NAA Information Interchange Model 4.2, record 2).
///
///     1C record8 dataset8 size16 value     a dataset; some may be repeated
///
/// Texts are decoded as UTF-8 if valid, else as ISO 8859-1: few writers declare their character set (dataset 1:90), and
/// some declare the wrong one.
package struct IPTCRecord: Hashable, Sendable {
    /// The title (2:05).
    package private(set) var title: String?
    /// The caption (2:120).
    package private(set) var caption: String?
    /// The keywords (2:25), in file order.
    package private(set) var keywords: [String] = []
    /// The place by its names (2:90 to 2:101).
    package private(set) var place = XMPPlace()
    /// When the scene was captured (2:55 and 2:60); nil without a time of day.
    package var captureTime: CivilTime? {
        guard let date, date.utf8.count == 8, let time, time.utf8.count >= 6 else { return nil }
        func part(_ text: String, _ start: Int, _ count: Int) -> Substring { text.dropFirst(start).prefix(count) }
        let day = "\(part(date, 0, 4))-\(part(date, 4, 2))-\(part(date, 6, 2))"
        let clock = "\(part(time, 0, 2)):\(part(time, 2, 2)):\(part(time, 4, 2))"
        let zone = time.utf8.count == 11 ? "\(part(time, 6, 3)):\(part(time, 9, 2))" : ""
        return CivilTime("\(day)T\(clock)\(zone)") ?? CivilTime("\(day)T\(clock)")
    }

    /// The day on which it was captured, at noon (2:55); zeros stand for an unknown month or day.
    package var captureDay: CivilTime? {
        guard let date, date.utf8.count == 8 else { return nil }
        return CivilTime(day: "\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.dropFirst(6))")
    }

    private var date: String?
    private var time: String?

    /// Reads the datasets in a range up to the first that is damaged or out of bounds, with limits of keywords and of a
    /// value's length.
    package init(_ bytes: RawSpan, block: FileRange, limits: ParseLimits = .standard) {
        var reader = ByteReader(block)
        while reader.remaining >= 5, let dataset = try? PhotoshopResources.nextDataset(&reader, in: bytes) {
            guard dataset.record == 2, let value = try? bytes.copyBytes(in: dataset.value, limit: limits.valueBytes),
                let text = ExifText.decoded(value.prefix { $0 != 0 })
            else { continue }
            take(text, as: dataset.number, limits)
        }
    }

    /// Of non-repeatable datasets, the first wins.
    private mutating func take(_ text: String, as dataset: UInt8, _ limits: ParseLimits) {
        switch dataset {
        case 5: title = title ?? text
        case 25: if keywords.count < limits.listItems { keywords.append(text) }
        case 55: date = date ?? text
        case 60: time = time ?? text
        case 90: place.city = place.city ?? text
        case 92: place.sublocation = place.sublocation ?? text
        case 95: place.state = place.state ?? text
        case 100: place.countryCode = place.countryCode ?? text
        case 101: place.country = place.country ?? text
        case 120: caption = caption ?? text
        default: break
        }
    }
}
