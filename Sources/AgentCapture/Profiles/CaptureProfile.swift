package import Capture
package import MediaFormats
package import Persistence
import PhotoLibrary
import PhotoModel
package import Settings

/// What a box captures, how, and when: one file in the folder of profiles.
package struct CaptureProfile: Hashable, Sendable {
    /// Whether the movies of Live Photos have sound.
    package enum Sound: String, Hashable, Sendable, CaseIterable {
        /// Without a microphone, the profile does not run.
        case required
        /// Without a microphone, movies are silent and marked so.
        case optional
        /// Movies are silent, and nobody is asked about a microphone.
        case off
    }

    /// The profile's name, which is its file's.
    package var name: String
    /// The camera's identity (`camera.device`, default from the agent's settings).
    package var camera: CaptureDevice.ID?
    /// The requested format (`camera.preset`, `camera.size`, `camera.framesPerSecond`).
    package var format = FormatChoice()
    /// How the camera is mounted (`camera.orientation`, EXIF's 1 to 8, default 1 for upright).
    package var orientation = ImageOrientation.up
    /// The automatics to lock once the camera has settled (`camera.lock`: exposure, whiteBalance, focus; default none);
    /// restored when its session ends.
    package var locks: Set<CameraAutomatic> = []
    /// The parts of the picture blackened in everything captured or shown (`camera.masks`: polygons as `x,y x,y x,y` or
    /// rectangles as two opposite corners, from 0 to 1, right and down; default none).
    package var mask: PrivacyMask?
    /// Whether shots are Live Photos (`shot.mode`: `still` or `live`, default still).
    package var isLivePhoto = false
    /// The file format of stills (`shot.format`, default jpeg).
    package var stillFormat = StillFormat.jpeg
    /// Whether a sensor's raw samples are also kept, as DNG (`shot.raw`, default false).
    package var includesRaw = false
    /// Whether stills include a thumbnail (`shot.thumbnail`, default false).
    package var embedsThumbnail = false
    /// How many frames each firing takes (`shot.count`, 1 to 1,000, default 1).
    package var count = 1
    /// Takes every n-th frame of the camera for them (`shot.stride`, 1 to 1,000, default 1).
    package var stride = 1
    /// The exposures of a bracket in EV relative to the camera's own; each firing takes one frame of each
    /// (`shot.bracket`, 2 to 9 different ones from -6 to 6, default none).
    package var bracket: [Double]?
    /// Whether movies have sound (`live.sound`: required, optional, off; default optional).
    package var sound = Sound.optional
    /// The video codec of movies (`live.codec`: h264 or hevc, default h264).
    package var movieCodec = MovieCodec.h264
    /// The microphone's identity (`live.microphone`, default the camera's own).
    package var microphone: CaptureDevice.ID?
    /// How much of the movie precedes the still (`live.preRollMilliseconds`, 0 or 500 to 5,000, default 1,500).
    package var preRoll = Duration.milliseconds(1500)
    /// How much of the movie follows the still (`live.postRollMilliseconds`, 0 or 500 to 5,000, default 1,500).
    package var postRoll = Duration.milliseconds(1500)
    /// The album that captures join (`album`, default from the agent's settings).
    package var album: String?
    /// What triggers the shutter.
    package var triggers = TriggerPlan()
    /// A folder whose files are captures, instead of a camera; nil for a camera.
    package var watch: WatchPlan?

    /// The pixels that its shots need.
    var pixels: FormatChoice.PixelChoice { includesRaw ? .bayer : stillFormat.pixels }

    /// A profile for stills on command.
    package init(name: String) {
        self.name = name
    }

    /// Reads the text of a profile's file.
    ///
    /// - Throws: `invalidValue`, `unknownKey`, `fileUnreadable`, each naming the profile.
    package init(name: String, yaml: String) throws(SettingsError) {
        self.init(name: name)
        do throws(SettingsError) {
            var reader = try SettingsReader(yaml: yaml, environment: [:], flags: [])
            try read(&reader)
            try reader.finish()
        } catch {
            throw SettingsError(error.code, "profile \(name): \(error.description)")
        }
    }

    /// A folder watched for files.
    package struct WatchPlan: Hashable, Sendable {
        /// What happens to an imported file.
        package enum Disposal: String, Hashable, Sendable, CaseIterable {
            /// It stays, and is remembered as imported.
            case keep
            /// It is removed once its copy is durable.
            case remove
        }

        /// The folder (`watch.folder`).
        package var folder: String
        /// How long a file must be unchanged to count as complete if the kernel does not report it
        /// (`watch.settleMilliseconds`, 100 to 600,000, default 2,000); also how long a still waits for its movie.
        package var settleTime: Duration
        /// What happens to imported files (`watch.taken`: keep or remove, default keep).
        package var disposal: Disposal
    }
}

extension CaptureProfile {
    /// Loads a profile, by its name in the folder or a file's path, and fills in the camera and the album if it names
    /// none.
    ///
    /// - Throws: `configuration` if there is no such file, `SettingsError` if it is invalid.
    package init(named name: String, in folder: Path, camera: CaptureDevice.ID?, album: String?) throws {
        let path = name.contains("/") ? Path(name) : folder.appending("\(name).yaml")
        let stem = FolderIntake.stem(path.name)
        try self.init(name: stem, yaml: path.configuration("profile", samples: "config/profiles"))
        self.camera = self.camera ?? camera
        do throws(SettingsError) {
            try checkShots()
        } catch {
            throw SettingsError(error.code, "profile \(stem): \(error.description)")
        }
        self.album = self.album ?? album
    }

    /// The profile with a mask: its own, or else the first one of a profile that may use the same camera, so that a
    /// shot on command shows no more than others.
    ///
    /// A profile that names no camera may use any.
    package func masked(like profiles: [CaptureProfile]) -> CaptureProfile {
        guard mask == nil else { return self }
        var profile = self
        profile.mask =
            profiles.first {
                $0.mask != nil && ($0.camera == nil || camera == nil || $0.camera == camera)
            }?.mask
        return profile
    }

    private mutating func read(_ reader: inout SettingsReader) throws(SettingsError) {
        camera = reader.text("camera.device").map { CaptureDevice.ID(rawValue: $0) }
        format.preset = try reader.choice("camera.preset", default: format.preset)
        format.size = try reader.value("camera.size", expected: "width and height such as 1920x1080") { Self.size($0) }
        let rate = try reader.number("camera.framesPerSecond", default: 0, in: 0...1000)
        format.framesPerSecond = rate == 0 ? nil : Double(rate)
        let code = try reader.number("camera.orientation", default: 1, in: 1...8)
        orientation = ImageOrientation(rawValue: code) ?? .up
        locks = try Self.locks(&reader)
        mask = try Self.mask(&reader)
        isLivePhoto = try reader.choice("shot.mode", default: CaptureMode.still) == .live
        stillFormat = try reader.choice("shot.format", default: stillFormat)
        includesRaw = try reader.flag("shot.raw", default: false)
        embedsThumbnail = try reader.flag("shot.thumbnail", default: false)
        count = try reader.number("shot.count", default: 1, in: 1...1000)
        stride = try reader.number("shot.stride", default: 1, in: 1...1000)
        bracket = Self.bracket(&reader)
        sound = try reader.choice("live.sound", default: sound)
        movieCodec = try reader.choice("live.codec", default: movieCodec)
        microphone = reader.text("live.microphone").map { CaptureDevice.ID(rawValue: $0) }
        preRoll = try Self.roll("live.preRollMilliseconds", &reader)
        postRoll = try Self.roll("live.postRollMilliseconds", &reader)
        album = reader.text("album")
        triggers = try TriggerPlan(&reader)
        let folder = reader.text("watch.folder")
        let settleTime = try reader.number("watch.settleMilliseconds", default: 2000, in: 100...600_000)
        let disposal = try reader.choice("watch.taken", default: WatchPlan.Disposal.keep)
        watch = folder.map {
            WatchPlan(folder: $0, settleTime: .milliseconds(settleTime), disposal: disposal)
        }
        try checkShots()
    }

    /// Throws for shots that no camera could take, and imports that would not be as the profile says.
    private func checkShots() throws(SettingsError) {
        if let problem = watch == nil ? shotProblem : importProblem { throw SettingsError(.invalidValue, problem) }
    }

    private static func bracket(_ reader: inout SettingsReader) -> [Double]? {
        let texts = reader.texts("shot.bracket", default: [])
        guard !texts.isEmpty else { return nil }
        // NaN is not a valid exposure, so it is refused later.
        return texts.map { Double($0) ?? .nan }
    }

    private static func mask(_ reader: inout SettingsReader) throws(SettingsError) -> PrivacyMask? {
        let areas = try reader.polygons("camera.masks")
        guard !areas.isEmpty else { return nil }
        guard let mask = PrivacyMask(areas: areas) else {
            let limit = PrivacyMask.maximumByteCount
            throw SettingsError(.invalidValue, "camera.masks is longer than \(limit) bytes: use fewer corners")
        }
        return mask
    }

    private static func locks(_ reader: inout SettingsReader) throws(SettingsError) -> Set<CameraAutomatic> {
        var locks: Set<CameraAutomatic> = []
        for name in reader.texts("camera.lock", default: []) {
            guard let automatic = CameraAutomatic(rawValue: name) else {
                let names = CameraAutomatic.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingsError(.invalidValue, "camera.lock has \"\(name)\": list some of \(names)")
            }
            locks.insert(automatic)
        }
        return locks
    }

    private static func roll(_ key: String, _ reader: inout SettingsReader) throws(SettingsError) -> Duration {
        try reader.value(key, default: .milliseconds(1500), expected: "0, or 500 to 5000") { text in
            Int(text).flatMap { $0 == 0 || 500...5000 ~= $0 ? .milliseconds($0) : nil }
        }
    }

    /// A width and a height such as `1920x1080`; nil for anything else.
    static func size(_ text: String) -> PixelSize? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0 else { return nil }
        return PixelSize(width: width, height: height)
    }
}
