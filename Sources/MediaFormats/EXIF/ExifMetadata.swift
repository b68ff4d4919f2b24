package import PhotoModel

/// What EXIF says about a photo (CIPA DC-008, Exif 2.32), every value as it stands in the file.
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
    /// The computer it ran on.
    package var hostComputer: String?
    /// The camera body's serial number.
    package var bodySerialNumber: String?
    /// The owner that the camera was told.
    package var cameraOwner: String?
    /// The lens's maker.
    package var lensMake: String?
    /// The lens's model.
    package var lensModel: String?
    /// The lens's serial number.
    package var lensSerialNumber: String?
    /// Shortest and longest focal length in millimetres, smallest f-number at each; four values or none.
    package var lensSpecification: [ExifRational] = []
    /// Who took or made it.
    package var artist: String?
    /// Whose it is.
    package var copyright: String?
    /// A title or description.
    package var imageDescription: String?
    /// A remark in free text.
    package var userComment: String?

    /// 0 to 5 stars (tag 0x4746, of Windows and Nikon).
    package var rating: Int?

    // MARK: Dates
    /// When it was taken.
    package var original = ExifDate()
    /// When it was turned into a file; the same for a camera.
    package var digitized = ExifDate()
    /// When the file was changed last.
    package var modified = ExifDate()

    // MARK: Exposure
    /// Seconds.
    package var exposureTime: ExifRational?
    /// The f-number.
    package var fNumber: ExifRational?
    /// The ISO sensitivity.
    package var isoSpeed: Int?
    /// How the exposure was chosen: 1 by hand, 2 normal, 3 aperture priority, ...
    package var exposureProgram: Int?
    /// 0 automatic, 1 by hand, 2 bracketed.
    package var exposureMode: Int?
    /// Correction in EV.
    package var exposureCompensation: ExifRational?
    /// Brightness in EV.
    package var brightness: ExifRational?
    /// 2 centre-weighted, 3 spot, 5 pattern, ...
    package var meteringMode: Int?
    /// 1 daylight, 3 tungsten, ...
    package var lightSource: Int?
    /// Bit 0: fired; bits 1 and 2: return light; bits 3 and 4: mode; bit 5: no flash at all; bit 6: red-eye.
    package var flash: Int?
    /// 0 automatic, 1 by hand.
    package var whiteBalance: Int?
    /// 0 not processed; Apple writes 2 to 4 for HDR, 6 for a panorama, 7 and 8 for a portrait.
    package var customRendered: Int?
    /// 0 standard, 1 landscape, 2 portrait, 3 night.
    package var sceneCaptureType: Int?
    /// 1: photographed directly.
    package var sceneType: Int?
    /// Millimetres.
    package var focalLength: ExifRational?
    /// Millimetres on 35 mm film.
    package var focalLengthIn35mm: Int?
    /// Metres to the subject.
    package var subjectDistance: ExifRational?
    /// How far the picture was enlarged digitally.
    package var digitalZoom: ExifRational?

    // MARK: Picture
    /// How to turn the picture to show it upright, 1 to 8.
    package var orientationCode: Int?
    /// 1: sRGB; 65535: not calibrated, see the colour profile.
    package var colorSpace: Int?
    /// The width of the picture proper.
    package var pixelWidth: Int?
    /// The height of the picture proper.
    package var pixelHeight: Int?
    /// Pixels per unit from left to right.
    package var xResolution: ExifRational?
    /// Pixels per unit from top to bottom.
    package var yResolution: ExifRational?
    /// 2 inch, 3 centimetre.
    package var resolutionUnit: Int?
    /// The edition of EXIF, four digits, for example `0232`.
    package var exifVersion: String?
    /// 32 hexadecimal digits that name the picture.
    package var imageUniqueID: String?

    // MARK: Place
    /// Where it was taken; the fields are nil when there is no GPS directory.
    package var gps = ExifPosition()

    // MARK: Windows' own fields; not written
    /// The title that Windows keeps (tag 0x9C9B).
    package var windowsTitle: String?
    /// The keywords that Windows keeps (tag 0x9C9E).
    package var windowsKeywords: [String] = []

    // MARK: Ranges of the file; not written
    /// The maker note, whatever maker it is of.
    package var makerNote: FileRange?
    /// The thumbnail, a JPEG file of its own.
    package var thumbnail: FileRange?
    /// What Apple's maker note says.
    package var appleMakerNote: AppleMakerNote?

    /// Nothing known.
    package init() {}
}

extension ExifMetadata {
    /// How to turn the picture; nil when the field is absent or none of the eight.
    package var orientation: ImageOrientation? {
        get { orientationCode.flatMap(ImageOrientation.init(rawValue:)) }
        set { orientationCode = newValue?.rawValue }
    }

    /// Whether the flash fired; nil when the field is absent.
    package var flashFired: Bool? { flash.map { $0 & 1 == 1 } }

    /// When it was taken: the original date, else the digitized one; the file's own date of change is none.
    package var captureTime: CivilTime? { original.civilTime ?? digitized.civilTime }

    /// The size that EXIF tells; nil unless both numbers are above 0.
    package var pixelSize: PixelSize? {
        guard let pixelWidth, let pixelHeight, pixelWidth > 0, pixelHeight > 0 else { return nil }
        return PixelSize(width: pixelWidth, height: pixelHeight)
    }
}
