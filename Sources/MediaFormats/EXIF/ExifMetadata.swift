package import PhotoModel

/// A photo's EXIF metadata (CIPA DC-008, Exif 2.32), with raw values from the file.
///
/// Absent, empty or unreadable fields are nil. The same fields are read and written; ``ExifField`` is their table.
package struct ExifMetadata: Hashable, Sendable {
    // MARK: Camera and people
    /// The camera's maker.
    package var make: String?
    /// The camera's model.
    package var model: String?
    /// The program that wrote the file.
    package var software: String?
    /// The camera body's serial number.
    package var bodySerialNumber: String?
    /// The lens model.
    package var lensModel: String?
    /// A title or description.
    package var imageDescription: String?
    /// A free-text comment.
    package var userComment: String?

    /// 0 to 5 stars (tag 0x4746, used by Windows and Nikon).
    package var rating: Int?

    // MARK: Dates
    /// When it was taken.
    package var original = ExifDate()
    /// When it was digitized; the same as ``original`` for a camera.
    package var digitized = ExifDate()
    /// When the file was last changed.
    package var modified = ExifDate()

    // MARK: Exposure
    /// Seconds.
    package var exposureTime: ExifRational?
    /// The f-number.
    package var fNumber: ExifRational?
    /// The ISO sensitivity.
    package var isoSpeed: Int?
    /// How the exposure was chosen: 1 manual, 2 normal, 3 aperture priority, ...
    package var exposureProgram: Int?
    /// 0 automatic, 1 manual, 2 bracketed.
    package var exposureMode: Int?
    /// Exposure compensation in EV.
    package var exposureCompensation: ExifRational?
    /// Bit 0: fired; bits 1 and 2: return light; bits 3 and 4: mode; bit 5: no flash function; bit 6: red-eye.
    package var flash: Int?
    /// 0 not processed; Apple writes 2 to 4 for HDR, 6 for a panorama, 7 and 8 for a portrait.
    package var customRendered: Int?
    /// 1: photographed directly.
    package var sceneType: Int?
    /// Millimetres.
    package var focalLength: ExifRational?
    /// Equivalent focal length in millimetres on 35 mm film.
    package var focalLengthIn35mm: Int?

    // MARK: Picture
    /// How to rotate the picture to show it upright, 1 to 8.
    package var orientationCode: Int?
    /// The width of the actual picture.
    package var pixelWidth: Int?
    /// The height of the actual picture.
    package var pixelHeight: Int?
    /// 32 hexadecimal digits that identify the picture.
    package var imageUniqueID: String?

    // MARK: Place
    /// Where it was taken; the fields are nil without a GPS directory.
    package var gps = ExifPosition()

    // MARK: Windows' own fields; not written
    /// The title that Windows stores (tag 0x9C9B).
    package var windowsTitle: String?
    /// The keywords that Windows stores (tag 0x9C9E).
    package var windowsKeywords: [String] = []

    // MARK: Ranges of the file; not written
    /// The maker note, of any maker.
    package var makerNote: FileRange?
    /// The thumbnail, a complete JPEG file.
    package var thumbnail: FileRange?
    /// The contents of Apple's maker note.
    package var appleMakerNote: AppleMakerNote?

    /// Empty metadata.
    package init() {}
}

extension ExifMetadata {
    /// How to rotate the picture; nil if the field is absent or not one of the eight.
    package var orientation: ImageOrientation? {
        get { orientationCode.flatMap(ImageOrientation.init(rawValue:)) }
        set { orientationCode = newValue?.rawValue }
    }

    /// Whether the flash fired; nil if the field is absent.
    package var flashFired: Bool? { flash.map { $0 & 1 == 1 } }

    /// The size given in EXIF; nil unless both numbers are above 0.
    package var pixelSize: PixelSize? {
        guard let pixelWidth, let pixelHeight, pixelWidth > 0, pixelHeight > 0 else { return nil }
        return PixelSize(width: pixelWidth, height: pixelHeight)
    }
}
