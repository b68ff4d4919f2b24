/// How a picture or movie was taken, according to its file; nil for facts the file does not contain.
package struct CameraFacts: Hashable, Sendable, Codable {
    /// The camera's maker.
    package var make: String?
    /// The camera's model.
    package var model: String?
    /// The lens.
    package var lens: String?
    /// Exposure time in seconds.
    package var exposureSeconds: Double?
    /// The f-number of the aperture.
    package var fNumber: Double?
    /// The ISO sensitivity.
    package var isoSpeed: Int?
    /// Exposure correction in EV.
    package var exposureCompensation: Double?
    /// Focal length in millimetres.
    package var focalLengthMillimeters: Double?
    /// 35 mm equivalent focal length in millimetres.
    package var focalLengthIn35mm: Int?
    /// Whether the flash fired.
    package var isFlashFired: Bool?
    /// The program that wrote the file.
    package var software: String?

    /// Nothing known.
    package init() {}
}
