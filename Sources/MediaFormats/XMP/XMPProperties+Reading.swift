extension XMPProperties {
    /// Reads an XMP packet in a range, or the whole file as a sidecar.
    ///
    /// - Throws: `malformed` for XML that is not well-formed, `unrecognizedFormat` for XML that is not XMP,
    ///   `unsupported` for a document type, `limitExceeded`.
    package init(_ bytes: RawSpan, packet: FileRange, limits: ParseLimits = .standard) throws(MediaFormatError) {
        let source = XMPPropertySource(try XMPReader(bytes, packet: packet, limits: limits), limits: limits)
        documentID = source.text(.xmpMM, "DocumentID")
        self.source = source.text(.dc, "source")
        title = source.text(.dc, "title")
        description = source.text(.dc, "description")
        keywords = source.list(.dc, "subject")
        hierarchicalKeywords = source.list(.lightroom, "hierarchicalSubject")
        digiKamTags = source.list(.digiKam, "TagsList")
        people = source.list(.iptcExtension, "PersonInImage")
        rating = source.text(.xmp, "Rating").flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        userComment = source.text(.exif, "UserComment")
        burstIdentifier = source.text(.googleCamera, "BurstID")
        burstPrimary = source.number(.googleCamera, "BurstPrimary")
        label = source.text(.xmp, "Label")
        createDate = source.text(.xmp, "CreateDate")
        modifyDate = source.text(.xmp, "ModifyDate")
        dateCreated = source.text(.photoshop, "DateCreated")
        dateTimeOriginal = source.text(.exif, "DateTimeOriginal")
        orientationCode = source.number(.tiff, "Orientation")
        projection = source.text(.googlePanorama, "ProjectionType")
        depthFormat = source.text(.googleDepth, "Format")
        extendedXMP = source.text(.xmpNote, "HasExtendedXMP")
        readPlace(from: source)
        motionPhoto = source.motionPhoto
        containerItems = source.containerItems
    }

    private mutating func readPlace(from source: XMPPropertySource) {
        latitude = source.text(.exif, "GPSLatitude").flatMap { XMPCoordinate.degrees($0) }
        longitude = source.text(.exif, "GPSLongitude").flatMap { XMPCoordinate.degrees($0) }
        let isBelowSea = source.number(.exif, "GPSAltitudeRef") == 1
        altitude = source.text(.exif, "GPSAltitude").flatMap { XMPCoordinate.quotient($0) }.map {
            isBelowSea ? -$0 : $0
        }
        positionDate = source.text(.exif, "GPSTimeStamp")
        positionStatus = source.text(.exif, "GPSStatus")
        place.sublocation = source.text(.iptcCore, "Location")
        place.city = source.text(.photoshop, "City")
        place.state = source.text(.photoshop, "State")
        place.country = source.text(.photoshop, "Country")
        place.countryCode = source.text(.iptcCore, "CountryCode")
        placeCreated = source.placeCreated
    }
}
