import Capture
import Settings

extension MotionSettings {
    /// Reads the keys below `trigger.motion`; nil unless it is enabled.
    ///
    /// - `enabled`: default false
    /// - `contrast`: how far a pixel must be from the background, 1 to 255, default 25
    /// - `areaPerMille`: the part of the watched picture that must move, 1 to 1,000, default 4
    /// - `quietMilliseconds`: how long it must be quiet for an event to end, 100 to 600,000, default 2,000
    /// - `zones`, `masks`: where motion counts, and where it does not: polygons as `x,y x,y x,y`, from 0 to 1, right and
    ///   down; default everywhere
    static func read(_ reader: inout SettingsReader) throws(SettingsError) -> MotionSettings? {
        let isEnabled = try reader.flag("trigger.motion.enabled", default: false)
        var settings = MotionSettings()
        settings.contrast = try reader.number("trigger.motion.contrast", default: 25, in: 1...255)
        let area = try reader.number("trigger.motion.areaPerMille", default: 4, in: 1...1000)
        settings.beginningArea = Double(area) / 1000
        settings.endingArea = settings.beginningArea / 2
        let quiet = try reader.number("trigger.motion.quietMilliseconds", default: 2000, in: 100...600_000)
        settings.quiet = .milliseconds(quiet)
        settings.zones = try zones("trigger.motion.zones", &reader)
        settings.masks = try zones("trigger.motion.masks", &reader)
        return isEnabled ? settings : nil
    }

    private static func zones(_ key: String, _ reader: inout SettingsReader) throws(SettingsError) -> [MotionZone] {
        var zones: [MotionZone] = []
        for text in reader.texts(key, default: []) {
            guard let zone = MotionZone(text) else {
                throw SettingsError(
                    .invalidValue,
                    "\(key) has \"\(text)\": write corners from 0 to 1 such as 0.1,0.2 0.9,0.2 0.5,0.8"
                )
            }
            zones.append(zone)
        }
        return zones
    }
}

extension MotionZone {
    /// Parses `x,y x,y x,y`; nil for anything else.
    fileprivate init?(_ text: String) {
        let points = text.split(separator: " ").map { corner in
            corner.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        }
        guard points.allSatisfy({ $0.count == 2 }) else { return nil }
        self.init(corners: points.map { Point(x: $0[0], y: $0[1]) })
    }
}
