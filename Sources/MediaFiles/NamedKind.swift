import Persistence
import PhotoModel

/// Kinds that only the file name tells: screenshots and recordings, time-lapses, bursts, and formats that are not taken.
///
/// Matches the English prefixes used by Android, iOS, macOS, GNOME and KDE, Samsung and DJI.
enum NamedKind {
    /// The digits of a burst's date and time, which distinguish it from others.
    private static let timeDigitCount = 14

    private static let screenshots = ["screenshot", "screen shot ", "screen_shot", "screencap"]
    private static let screenRecordings = [
        "screen recording ", "screen_recording", "screenrecording", "screen-recording", "screenrecorder", "screencast",
        "screen-20", "rpreplay",
    ]
    private static let timelapses = ["timelapse", "time_lapse", "time-lapse", "hyperlapse"]

    static func isScreenshot(_ name: FileName) -> Bool { begins(name, with: screenshots) }

    static func isScreenRecording(_ name: FileName) -> Bool { begins(name, with: screenRecordings) }

    static func isTimelapse(_ name: FileName) -> Bool { begins(name, with: timelapses) }

    /// The burst that Android's cameras name: `00002IMG_00002_BURST20190501123456789_COVER.jpg` by its time, or
    /// `IMG_20190501_123456_BURST002.jpg` by what stands before; the cover represents it.
    static func burst(_ name: FileName) -> BurstMembership? {
        let stem = String(decoding: name.stem, as: UTF8.self).uppercased()
        guard let mark = stem.firstRange(of: "_BURST") else { return nil }
        let number = stem[mark.upperBound...].prefix { "0"..."9" ~= $0 }
        let ending = stem[number.endIndex...]
        let key = number.count >= timeDigitCount ? number : stem[..<mark.lowerBound]
        let isDated = key.count(where: \.isWholeNumber) >= timeDigitCount
        guard !number.isEmpty, isDated, ["", "_COVER"].contains(ending) else { return nil }
        let id = BurstID.derived(from: ContentHasher.digest("burst \(key)".utf8))
        return BurstMembership(id: id, representsBurst: !ending.isEmpty)
    }

    /// Endings of photos and movies in formats that are imported; a file with one of them and other content is reported.
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
