/// How a picture or a movie was taken, as its own file says; nil where it says nothing.
package struct CameraFacts: Hashable, Sendable, Codable {
    /// The camera's maker.
    package var make: String?
    /// The camera's model.
    package var model: String?
    /// The lens.
    package var lens: String?
    /// Seconds that the picture was exposed.
    package var exposureSeconds: Double?
    /// The f-number of the aperture.
    package var fNumber: Double?
    /// The ISO sensitivity.
    package var isoSpeed: Int?
    /// Exposure correction in EV.
    package var exposureCompensation: Double?
    /// Focal length in millimetres.
    package var focalLengthMillimeters: Double?
    /// Focal length in millimetres that gives the same picture on 35 mm film.
    package var focalLengthIn35mm: Int?
    /// Whether the flash fired.
    package var isFlashFired: Bool?
    /// The program that wrote the file.
    package var software: String?

    /// Nothing known.
    package init() {}
}
