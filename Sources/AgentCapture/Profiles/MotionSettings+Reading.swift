import Capture
import Settings

extension MotionSettings {
    /// Reads the keys below `trigger.motion`; nil unless it is enabled.
    ///
    /// - `enabled`: default false
    /// - `contrast`: how far a pixel must differ from the background, 1 to 255, default 25
    /// - `areaPerMille`: the fraction of the watched picture that must move, 1 to 1,000, default 4
    /// - `quietMilliseconds`: how long it must be quiet for an event to end, 100 to 600,000, default 2,000
    /// - `zones`, `masks`: where motion counts, and where it does not: polygons as `x,y x,y x,y`, from 0 to 1, right and
    ///   down, or rectangles as two opposite corners; default everywhere
    static func read(_ reader: inout SettingsReader) throws(SettingsError) -> MotionSettings? {
        let isEnabled = try reader.flag("trigger.motion.enabled", default: false)
        var settings = MotionSettings()
        settings.contrast = try reader.number("trigger.motion.contrast", default: 25, in: 1...255)
        let area = try reader.number("trigger.motion.areaPerMille", default: 4, in: 1...1000)
        settings.beginningArea = Double(area) / 1000
        settings.endingArea = settings.beginningArea / 2
        let quiet = try reader.number("trigger.motion.quietMilliseconds", default: 2000, in: 100...600_000)
        settings.quiet = .milliseconds(quiet)
        settings.zones = try reader.polygons("trigger.motion.zones")
        settings.masks = try reader.polygons("trigger.motion.masks")
        return isEnabled ? settings : nil
    }
}

extension SettingsReader {
    /// Reads a list of polygons; a text with two corners is a rectangle.
    mutating func polygons(_ key: String) throws(SettingsError) -> [PicturePolygon] {
        var polygons: [PicturePolygon] = []
        for text in texts(key, default: []) {
            guard let polygon = PicturePolygon(text) else {
                throw SettingsError(
                    .invalidValue,
                    "\(key) has \"\(text)\": write corners from 0 to 1 such as 0.1,0.2 0.9,0.2 0.5,0.8, "
                        + "or two opposite ones of a rectangle"
                )
            }
            polygons.append(polygon)
        }
        return polygons
    }
}
