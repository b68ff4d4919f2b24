/// What people wrote about a photo inside its file.
///
/// Field by field, XMP takes precedence over IPTC's older form, and that over EXIF (Metadata Working Group, Guidelines
/// for Handling Image Metadata 2.0, chapter 5). A camera's filler text counts as absent.
package struct PictureWords: Hashable, Sendable {
    /// A title.
    package var title: String?
    /// A caption.
    package var caption: String?
    /// Keywords, as written.
    package var keywords: [String] = []
    /// 1 to 5 stars; nil if unrated or rejected.
    package var rating: Int?
    /// The place in people's words, from narrowest to widest: where the photo was taken, else the place it shows.
    package var placeName: String?

    /// No words.
    package init() {}

    /// Takes each field from the first form that has it.
    package init(xmp: XMPProperties?, iptc: IPTCRecord?, exif: ExifMetadata?) {
        func words(_ people: String?..., camera: String?) -> String? {
            func isWords(_ text: String, isFromCamera: Bool = false) -> Bool {
                !CaptionFiller.isFiller(text, make: exif?.make, model: exif?.model, isFromCamera: isFromCamera)
            }
            if let text = people.lazy.compactMap(\.self).first(where: { isWords($0) }) { return text }
            return camera.flatMap { isWords($0, isFromCamera: true) ? $0 : nil }
        }
        title = words(xmp?.title, iptc?.title, camera: exif?.windowsTitle)
        caption = words(xmp?.description, iptc?.caption, camera: exif?.imageDescription)
        let lists = [xmp?.allKeywords, iptc?.keywords, exif?.windowsKeywords]
        keywords = lists.lazy.compactMap(\.self).first { !$0.isEmpty } ?? []
        let ratings = [xmp?.rating.flatMap { Int(exactly: $0.rounded(.down)) }, exif?.rating]
        rating = ratings.lazy.compactMap(\.self).first.flatMap { 1...5 ~= $0 ? $0 : nil }
        let places = [xmp?.placeCreated, xmp?.place, iptc?.place].compactMap(\.self)
        placeName = places.reduce(XMPPlace()) { $0.completed(by: $1) }.name
    }

    /// The same, with each missing field from another form.
    func completed(by other: PictureWords) -> PictureWords {
        var words = self
        words.title = title ?? other.title
        words.caption = caption ?? other.caption
        words.keywords = keywords.isEmpty ? other.keywords : keywords
        words.rating = rating ?? other.rating
        words.placeName = placeName ?? other.placeName
        return words
    }
}

extension XMPPlace {
    /// The names from narrowest to widest, without duplicates; the country's code only if its name is missing.
    package var name: String? {
        var names: [String] = []
        for name in [sublocation, city, state, country ?? countryCode].compactMap(\.self) where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// The same, with each missing name from another form; unchanged if that describes another place.
    fileprivate func completed(by other: XMPPlace) -> XMPPlace {
        guard !contradicts(other) else { return self }
        var place = self
        place.sublocation = sublocation ?? other.sublocation
        place.city = city ?? other.city
        place.state = state ?? other.state
        place.country = country ?? other.country
        place.countryCode = countryCode ?? other.countryCode
        return place
    }

    /// Whether both have a name of the same kind, and it is another one.
    private func contradicts(_ other: XMPPlace) -> Bool {
        func differ(_ one: String?, _ another: String?) -> Bool {
            guard let one, let another else { return false }
            return one.lowercased() != another.lowercased()
        }
        // A country has a code of two letters and one of three.
        let isOtherCode = countryCode?.count == other.countryCode?.count && differ(countryCode, other.countryCode)
        return isOtherCode || differ(country, other.country) || differ(state, other.state)
            || differ(city, other.city) || differ(sublocation, other.sublocation)
    }
}

extension XMPProperties {
    /// The keywords and the people in the picture; if there are only hierarchical keywords, their narrowest parts.
    package var allKeywords: [String] { writtenKeywords + people.filter { !writtenKeywords.contains($0) } }

    private var writtenKeywords: [String] {
        if !keywords.isEmpty { return keywords }
        let leaves = Self.leaves(of: hierarchicalKeywords, separator: "|")
        return leaves.isEmpty ? Self.leaves(of: digiKamTags, separator: "/") : leaves
    }

    private static func leaves(of trees: [String], separator: Character) -> [String] {
        trees.compactMap { $0.split(separator: separator).last.map(String.init) }
    }
}
