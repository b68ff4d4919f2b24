import PhotoModel

/// Kinds that only the file name tells: screenshots and recordings, time-lapses, and formats that are not taken.
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

    /// Endings of photos and movies in formats that are imported: a file that has one and is none is reported.
    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "heic", "heif", "hif", "avif", "jxl", "png", "gif", "webp", "tif", "tiff", "dng",
        "mov", "mp4", "m4v",
    ]

    /// Whether a file is a photo or movie by its name.
    static func isMedia(_ file: NamedFile) -> Bool { endings.contains(file.ending) }

    /// Endings of photos and movies in formats that are not imported: each such file is reported.
    private static let foreignEndings: Set<String> = [
        "bmp", "jp2", "j2k", "jxr", "psd", "tga", "crw", "mrw", "x3f",
        "avi", "divx", "mkv", "webm", "wmv", "asf", "flv", "rm", "rmvb", "ogv", "mpg", "mpeg", "mpe", "m2v", "vob",
        "mts", "m2ts", "m2t", "mod", "tod",
    ]

    /// Whether a file that is not known by its bytes is a photo or movie by its name.
    static func isForeignMedia(_ file: NamedFile) -> Bool { foreignEndings.contains(file.ending) }

    private static func begins(_ name: FileName, with beginnings: [String]) -> Bool {
        let text = name.displayText.lowercased()
        return beginnings.contains { text.hasPrefix($0) }
    }
}
