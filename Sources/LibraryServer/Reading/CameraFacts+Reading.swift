import LibraryAPI
import LibraryStore
import MediaFormats
import PhotoModel

extension CameraFacts {
    /// Maximum length of a text in characters; names of cameras and lenses are short.
    private static let maximumTextCount = 256

    /// Reads how an original was taken; an unreadable file yields nothing.
    init(of open: OpenResource) async throws {
        let isMovie = open.resource.contentType.hasPrefix("video/")
        self = try await open.parsing { read in
            let source = StoredBytes(byteCount: Int(open.resource.byteCount), read: read)
            do {
                return isMovie
                    ? try CameraFacts(Movie(source).metadata) : try CameraFacts(PictureMetadata(of: source).exif)
            } catch is MediaFormatError {
                return CameraFacts()
            }
        }
    }

    init(_ exif: ExifMetadata?) {
        self.init()
        guard let exif else { return }
        make = Self.text(exif.make)
        model = Self.text(exif.model)
        lens = Self.text(exif.lensModel)
        software = Self.text(exif.software)
        exposureSeconds = Self.positive(exif.exposureTime)
        fNumber = Self.positive(exif.fNumber)
        focalLengthMillimeters = Self.positive(exif.focalLength)
        exposureCompensation = exif.exposureCompensation?.value
        isoSpeed = exif.isoSpeed.flatMap { $0 > 0 ? $0 : nil }
        focalLengthIn35mm = exif.focalLengthIn35mm.flatMap { $0 > 0 ? $0 : nil }
        isFlashFired = exif.flashFired
    }

    private init(_ movie: MovieMetadata) {
        self.init()
        make = Self.text(movie.make)
        model = Self.text(movie.model)
    }

    private static func text(_ text: String?) -> String? { text.map { String($0.prefix(maximumTextCount)) } }

    /// A positive quantity; cameras write 0 for unknown.
    private static func positive(_ fraction: ExifRational?) -> Double? {
        fraction?.value.flatMap { $0 > 0 ? $0 : nil }
    }
}
