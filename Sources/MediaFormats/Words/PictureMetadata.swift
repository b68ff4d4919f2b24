package import PhotoModel

/// A picture's metadata in all its forms, whatever their container.
package struct PictureMetadata: Hashable, Sendable {
    /// EXIF's value for a panorama stitched by the camera (`CustomRendered`, as Apple writes it).
    private static let stitched = 6
    /// Camera pictures wider or taller than this are panoramas; the widest screens and crops are 21:9.
    private static let panoramaRatio = 3
    /// The comment that Apple's systems write into a screenshot.
    private static let screenshotRemark = "Screenshot"

    /// EXIF; nil if absent or unreadable.
    package var exif: ExifMetadata?
    /// XMP; nil if absent or unreadable.
    package var xmp: XMPProperties?
    /// IPTC's older form; nil if absent.
    package var iptc: IPTCRecord?

    package init(exif: ExifMetadata? = nil, xmp: XMPProperties? = nil, iptc: IPTCRecord? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
    }

    /// People's texts.
    package var words: PictureWords { PictureWords(xmp: xmp, iptc: iptc, exif: exif) }

    /// When it was taken: from EXIF, XMP or IPTC, else when its position was measured, else noon of a day without a time,
    /// else when the file was last changed; dates of a clock that nobody set are ignored.
    ///
    /// A modification date is later than the photo, but still closer than the file system's time.
    package var captureTime: CivilTime? {
        let dates: [CivilTime?] = [
            exif?.original.civilTime, exif?.digitized.civilTime, xmp?.captureTime, iptc?.captureTime, exif?.gps.time,
            xmp?.positionDate.flatMap { XMPProperties.civilTime($0) }, xmp?.captureDay, iptc?.captureDay,
            exif?.modified.civilTime, xmp?.modifyDate.flatMap { XMPProperties.civilTime($0) },
        ]
        return dates.compactMap(\.self).first { !$0.isClockZero }
    }

    /// Where it was taken, from EXIF, else XMP.
    package var location: Location? {
        [exif?.gps.location, xmp?.location].compactMap(\.self).first { !$0.isFiller }
    }

    /// The subtypes of a picture of this size, as PhotoKit's bits.
    package func subtypes(size: PixelSize?) -> MediaSubtypes {
        var subtypes: MediaSubtypes = []
        if isPanorama(size) { subtypes.insert(.photoPanorama) }
        if [exif?.userComment, xmp?.userComment].contains(Self.screenshotRemark) { subtypes.insert(.photoScreenshot) }
        let hasDepthItem = xmp?.containerItems.contains { $0.semantic.lowercased().hasPrefix("depth") } ?? false
        if hasDepthItem || xmp?.depthFormat != nil { subtypes.insert(.photoDepthEffect) }
        return subtypes
    }

    /// Its burst, from Apple's maker note, else Google's XMP, which also says whether it represents it.
    package var burst: BurstMembership? {
        let id = exif?.appleMakerNote?.burstIdentifier ?? xmp?.burstIdentifier.flatMap { BurstID($0) }
        return id.map { BurstMembership(id: $0, representsBurst: xmp?.burstPrimary == 1) }
    }

    private func isPanorama(_ size: PixelSize?) -> Bool {
        if xmp?.projection != nil || exif?.customRendered == Self.stitched { return true }
        guard exif?.make != nil, let size, size.width > 0, size.height > 0 else { return false }
        let (longer, shorter) = (max(size.width, size.height), min(size.width, size.height))
        return longer / shorter >= Self.panoramaRatio
    }
}
