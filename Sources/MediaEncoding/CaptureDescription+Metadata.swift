import Capture
import MediaFormats
import PhotoModel

extension XMPProperties {
    /// The XMP properties without an EXIF field: what triggered the shutter.
    init(_ description: CaptureDescription) {
        self.init()
        let trigger = description.trigger
        documentID = "xmp.did:\(description.id)"
        source = trigger.name.map { "\(trigger.kind.rawValue): \($0)" } ?? trigger.kind.rawValue
    }
}

extension ExifMetadata {
    /// The capture's metadata; the position only if known, the exposure only if set manually.
    init(_ description: CaptureDescription, size: PixelSize, exposureTime: Duration?, software: String) {
        self.init()
        let time = CivilTime(
            description.captureTime.wall,
            utcOffsetSeconds: description.captureTime.utcOffsetSeconds ?? 0
        )
        make = description.camera.manufacturer
        model = description.camera.model
        bodySerialNumber = description.camera.serialNumber ?? description.camera.id.rawValue
        self.software = software
        original = ExifDate(time)
        digitized = original
        modified = original
        imageUniqueID = description.id.description.filter { $0 != "-" }
        orientation = description.orientation
        pixelWidth = size.width
        pixelHeight = size.height
        sceneType = 1
        if let exposureTime {
            // Cameras count it in units of 100 microseconds.
            self.exposureTime = ExifRational(exposureTime.inSeconds, denominator: 10_000)
            (exposureProgram, exposureMode) = (1, 1)
        }
        if let bias = description.exposureBias {
            exposureCompensation = ExifRational(bias, denominator: 100)
            // Auto bracket.
            exposureMode = 2
        }
        if let location = description.location {
            gps = ExifPosition(location)
            gps.setTime(description.captureTime.wall)
        }
    }
}
