package import PhotoModel

/// What a picture's file says about the picture in all forms together, whichever container they lie in.
package struct PictureMetadata: Hashable, Sendable {
    /// EXIF's value for a panorama that the camera stitched (`CustomRendered`, as Apple writes it).
    private static let stitched = 6
    /// Wider or higher pictures of cameras are panoramas; the widest screens and crops have 21:9.
    private static let panoramaRatio = 3
    /// What Apple's systems write into the remark of a picture of the screen.
    private static let screenshotRemark = "Screenshot"

    /// EXIF; nil when there is none that can be read.
    package var exif: ExifMetadata?
    /// XMP; nil when there is none that can be read.
    package var xmp: XMPProperties?
    /// IPTC's older form; nil when there is none.
    package var iptc: IPTCRecord?

    /// Takes what was read; nil for what is not there.
    package init(exif: ExifMetadata? = nil, xmp: XMPProperties? = nil, iptc: IPTCRecord? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
    }

    /// What people wrote.
    package var words: PictureWords { PictureWords(xmp: xmp, iptc: iptc, exif: exif) }

    /// When it was taken: by EXIF, XMP or IPTC, else when its position was measured, else when the file was changed last.
    ///
    /// A date of change is later than the photo and still nearer to it than the file system's time.
    package var captureTime: CivilTime? {
        exif?.captureTime ?? xmp?.captureTime ?? iptc?.captureTime ?? exif?.gps.time
            ?? xmp?.positionDate.flatMap { XMPProperties.civilTime($0) }
            ?? exif?.modified.civilTime ?? xmp?.modifyDate.flatMap { XMPProperties.civilTime($0) }
    }

    /// Where it was taken: EXIF's word, else XMP's.
    package var location: Location? { exif?.gps.location ?? xmp?.location }

    /// What more is known of a picture of this size, as PhotoKit's bits.
    package func subtypes(size: PixelSize?) -> MediaSubtypes {
        var subtypes: MediaSubtypes = []
        if isPanorama(size) { subtypes.insert(.photoPanorama) }
        if [exif?.userComment, xmp?.userComment].contains(Self.screenshotRemark) { subtypes.insert(.photoScreenshot) }
        if xmp?.containerItems.contains(where: { $0.semantic.lowercased().hasPrefix("depth") }) == true {
            subtypes.insert(.photoDepthEffect)
        }
        return subtypes
    }

    /// The burst that it is of: by Apple's maker note, else by Google's XMP.
    package var burst: BurstID? {
        exif?.appleMakerNote?.burstIdentifier ?? xmp?.burstIdentifier.flatMap { BurstID($0) }
    }

    private func isPanorama(_ size: PixelSize?) -> Bool {
        if xmp?.projection != nil || exif?.customRendered == Self.stitched { return true }
        guard exif?.make != nil, let size, size.width > 0, size.height > 0 else { return false }
        let (longer, shorter) = (max(size.width, size.height), min(size.width, size.height))
        return longer / shorter >= Self.panoramaRatio
    }
}
