/// Looks up a packet's properties, each as the requested type.
struct XMPPropertySource {
    private let reader: XMPReader
    private let limits: ParseLimits

    init(_ reader: XMPReader, limits: ParseLimits) {
        self.reader = reader
        self.limits = limits
    }

    func text(_ namespace: XMPNamespace, _ name: String) -> String? {
        text(namespace, name, in: reader.properties)
    }

    func number(_ namespace: XMPNamespace, _ name: String) -> Int? {
        text(namespace, name).flatMap { Int($0) }
    }

    func list(_ namespace: XMPNamespace, _ name: String) -> [String] {
        reader.items(reader.properties[XMLName(namespace, name)]).prefix(limits.listItems).compactMap {
            reader.text($0)
        }
    }

    var motionPhoto: XMPMotionPhoto {
        var fields = XMPMotionPhoto()
        fields.motionPhoto = number(.googleCamera, "MotionPhoto")
        fields.version = number(.googleCamera, "MotionPhotoVersion")
        fields.presentationTimestampMicroseconds = number(.googleCamera, "MotionPhotoPresentationTimestampUs")
        fields.microVideo = number(.googleCamera, "MicroVideo")
        fields.microVideoVersion = number(.googleCamera, "MicroVideoVersion")
        fields.microVideoOffset = number(.googleCamera, "MicroVideoOffset")
        return fields
    }

    /// `rdf:li` holds the item itself, or a `Container:Item` that does.
    var containerItems: [XMPContainerItem] {
        let directory = reader.properties[XMLName(.googleContainer, "Directory")]
        return reader.items(directory).prefix(limits.listItems).compactMap { value in
            let outer = reader.structure(value)
            let fields = outer[XMLName(.googleContainer, "Item")].map { reader.structure($0) } ?? outer
            guard let mime = text(.googleContainerItem, "Mime", in: fields),
                let semantic = text(.googleContainerItem, "Semantic", in: fields)
            else { return nil }
            return XMPContainerItem(
                mime: mime,
                semantic: semantic,
                length: text(.googleContainerItem, "Length", in: fields).flatMap { Int($0) } ?? 0,
                padding: text(.googleContainerItem, "Padding", in: fields).flatMap { Int($0) } ?? 0
            )
        }
    }

    /// The first of the bag of places, usually the only one.
    var placeCreated: XMPPlace {
        let value = reader.properties[XMLName(.iptcExtension, "LocationCreated")]
        let fields = reader.structure(reader.items(value).first ?? value)
        var place = XMPPlace()
        place.sublocation = text(.iptcExtension, "Sublocation", in: fields)
        place.city = text(.iptcExtension, "City", in: fields)
        place.state = text(.iptcExtension, "ProvinceState", in: fields)
        place.country = text(.iptcExtension, "CountryName", in: fields)
        place.countryCode = text(.iptcExtension, "CountryCode", in: fields)
        return place
    }

    /// Text without surrounding white space; nil if nothing is left.
    private func text(_ namespace: XMPNamespace, _ name: String, in fields: XMPReader.Fields) -> String? {
        guard let text = reader.text(fields[XMLName(namespace, name)]) else { return nil }
        let trimmed = text.utf8.drop(while: XMLText.isWhiteSpace).reversed().drop(while: XMLText.isWhiteSpace)
        return trimmed.isEmpty ? nil : String(decoding: trimmed.reversed(), as: UTF8.self)
    }
}
