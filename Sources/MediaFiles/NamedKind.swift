import PhotoModel

/// Kinds that systems mark only in the file name: screenshots and recordings, and time-lapses.
///
/// Matches the English prefixes used by Android, iOS, macOS, GNOME and KDE, Samsung and DJI.
enum NamedKind {
    private static let screenshots = ["screenshot", "screen shot ", "screen_shot", "screencap"]
    private static let screenRecordings = [
        "screen recording ", "screen_recording", "screenrecording", "screen-recording", "screenrecorder", "screencast",
        "rpreplay",
    ]
    private static let timelapses = ["timelapse", "time_lapse", "time-lapse", "hyperlapse"]

    static func isScreenshot(_ name: FileName) -> Bool { begins(name, with: screenshots) }

    static func isScreenRecording(_ name: FileName) -> Bool { begins(name, with: screenRecordings) }

    static func isTimelapse(_ name: FileName) -> Bool { begins(name, with: timelapses) }

    private static func begins(_ name: FileName, with beginnings: [String]) -> Bool {
        let text = name.displayText.lowercased()
        return beginnings.contains { text.hasPrefix($0) }
    }
}
