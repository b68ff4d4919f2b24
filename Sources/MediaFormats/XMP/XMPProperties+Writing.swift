extension XMPProperties {
    /// Encodes an XMP packet in UTF-8 from its opening to its closing instruction; equal values give equal bytes.
    ///
    /// It is also a valid sidecar file. `padding` bytes of white space at the end are for programs that edit packets in
    /// place.
    package func packet(padding: Int = 0) -> [UInt8] {
        let properties = writtenProperties
        let used = Set(properties.flatMap(\.namespaces))
        var text = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
        text += "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
        text += " <rdf:RDF xmlns:rdf=\"\(XMPNamespace.rdf.rawValue)\">\n  <rdf:Description rdf:about=\"\""
        for namespace in XMPNamespace.allCases where used.contains(namespace) {
            text += "\n    xmlns:\(namespace.prefix)=\"\(namespace.rawValue)\""
        }
        text += ">\n"
        for property in properties { text += property.element }
        text += "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n"
        text += String(repeating: " ", count: max(0, padding))
        text += "<?xpacket end=\"w\"?>"
        return Array(text.utf8)
    }

    private var writtenProperties: [XMPWrittenProperty] {
        let groups: [[XMPWrittenProperty?]] = [
            identity, words, dates, coordinates, names(of: place), [structure(of: placeCreated)], picture,
        ]
        return groups.joined().compactMap(\.self)
    }

    private var identity: [XMPWrittenProperty?] {
        [
            .text(.xmpMM, "DocumentID", documentID),
            .text(.dc, "source", source),
        ]
    }

    private var words: [XMPWrittenProperty?] {
        [
            .list(.dc, "title", .alternative, title.map { [$0] } ?? []),
            .list(.dc, "description", .alternative, description.map { [$0] } ?? []),
            .list(.dc, "subject", .bag, keywords),
            .list(.lightroom, "hierarchicalSubject", .bag, hierarchicalKeywords),
            .list(.digiKam, "TagsList", .sequence, digiKamTags),
            .list(.iptcExtension, "PersonInImage", .bag, people),
            .text(.xmp, "Rating", rating.map(Self.number)),
            .text(.xmp, "Label", label),
            .list(.exif, "UserComment", .alternative, userComment.map { [$0] } ?? []),
        ]
    }

    private var dates: [XMPWrittenProperty?] {
        [
            .text(.xmp, "CreateDate", createDate),
            .text(.xmp, "ModifyDate", modifyDate),
            .text(.photoshop, "DateCreated", dateCreated),
            .text(.exif, "DateTimeOriginal", dateTimeOriginal),
        ]
    }

    private var coordinates: [XMPWrittenProperty?] {
        let latitudeText = latitude.map { XMPCoordinate.text(degrees: $0, positive: "N", negative: "S") }
        let longitudeText = longitude.map { XMPCoordinate.text(degrees: $0, positive: "E", negative: "W") }
        let altitudeText = altitude.flatMap { ExifRational($0.magnitude, denominator: 1000) }?.description
        let reference = (altitude ?? 0) < 0 ? "1" : "0"
        return [
            .text(.exif, "GPSLatitude", latitudeText),
            .text(.exif, "GPSLongitude", longitudeText),
            .text(.exif, "GPSAltitudeRef", altitudeText == nil ? nil : reference),
            .text(.exif, "GPSAltitude", altitudeText),
            .text(.exif, "GPSTimeStamp", positionDate),
            .text(.exif, "GPSStatus", positionStatus),
        ]
    }

    private func names(of place: XMPPlace) -> [XMPWrittenProperty?] {
        [
            .text(.iptcCore, "Location", place.sublocation),
            .text(.photoshop, "City", place.city),
            .text(.photoshop, "State", place.state),
            .text(.photoshop, "Country", place.country),
            .text(.iptcCore, "CountryCode", place.countryCode),
        ]
    }

    private func structure(of place: XMPPlace) -> XMPWrittenProperty? {
        let fields: [XMPWrittenProperty.Field?] = [
            .init(.iptcExtension, "Sublocation", place.sublocation),
            .init(.iptcExtension, "City", place.city),
            .init(.iptcExtension, "ProvinceState", place.state),
            .init(.iptcExtension, "CountryName", place.country),
            .init(.iptcExtension, "CountryCode", place.countryCode),
        ]
        let present = fields.compactMap(\.self)
        let structures = present.isEmpty ? [] : [present]
        return .structures(.iptcExtension, "LocationCreated", .bag, wrapper: nil, structures)
    }

    private var picture: [XMPWrittenProperty?] {
        [
            .number(.tiff, "Orientation", orientationCode),
            .text(.googlePanorama, "ProjectionType", projection),
            .text(.googleDepth, "Format", depthFormat),
            .text(.googleCamera, "BurstID", burstIdentifier),
            .number(.googleCamera, "BurstPrimary", burstPrimary),
            .number(.googleCamera, "MotionPhoto", motionPhoto.motionPhoto),
            .number(.googleCamera, "MotionPhotoVersion", motionPhoto.version),
            .number(.googleCamera, "MotionPhotoPresentationTimestampUs", motionPhoto.presentationTimestampMicroseconds),
            .number(.googleCamera, "MicroVideo", motionPhoto.microVideo),
            .number(.googleCamera, "MicroVideoVersion", motionPhoto.microVideoVersion),
            .number(.googleCamera, "MicroVideoOffset", motionPhoto.microVideoOffset),
            container,
            .text(.xmpNote, "HasExtendedXMP", extendedXMP),
        ]
    }

    private var container: XMPWrittenProperty? {
        let items = containerItems.map { item -> [XMPWrittenProperty.Field] in
            let fields: [XMPWrittenProperty.Field?] = [
                .init(.googleContainerItem, "Mime", item.mime),
                .init(.googleContainerItem, "Semantic", item.semantic),
                .init(.googleContainerItem, "Length", String(item.length)),
                .init(.googleContainerItem, "Padding", String(item.padding)),
            ]
            return fields.compactMap(\.self)
        }
        let wrapper = XMPWrittenProperty.Name(.googleContainer, "Item")
        return .structures(.googleContainer, "Directory", .sequence, wrapper: wrapper, items)
    }

    /// Whole numbers without a decimal point, as most readers expect for a rating.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }
}
