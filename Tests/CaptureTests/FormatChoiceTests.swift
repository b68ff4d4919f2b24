import PhotoModel
import Testing

@testable import Capture

struct FormatChoiceTests {
    private static func format(
        _ pixelFormat: PixelFormat,
        _ width: Int,
        _ height: Int,
        _ rate: UInt32
    ) -> CaptureFormat? {
        FrameInterval(numerator: 1, denominator: rate).map {
            CaptureFormat(pixelFormat: pixelFormat, size: PixelSize(width: width, height: height), frameInterval: $0)
        }
    }

    /// What a usual USB camera offers: large pictures compressed, and raw ones slowly.
    private static let formats = [
        format(.yuyv, 3840, 2160, 1), format(.motionJPEG, 2592, 1944, 15), format(.motionJPEG, 1920, 1080, 60),
        format(.motionJPEG, 1920, 1080, 30), format(.yuyv, 1920, 1080, 5), format(.motionJPEG, 1280, 720, 30),
        format(.yuyv, 1280, 720, 30), format(.yuyv, 640, 480, 30),
    ].compactMap(\.self)

    @Test(
        "003.9, 003.10: a preset's name chooses among what the camera has; max is the largest picture there is",
        arguments: [
            (CapturePreset.photo, formats[1]), (.max, formats[0]), (.high, formats[2]), (.medium, formats[5]),
            (.low, formats[7]),
        ]
    )
    func presets(preset: CapturePreset, expected: CaptureFormat) {
        var choice = FormatChoice()
        choice.preset = preset
        #expect(choice.format(among: Self.formats) == expected)
        #expect(choice.format(among: Self.formats.reversed()) == expected)
    }

    @Test("003.6: a size that the camera does not have is no format, never another size")
    func size() {
        var choice = FormatChoice()
        choice.size = PixelSize(width: 1920, height: 1080)
        choice.framesPerSecond = 30
        #expect(choice.format(among: Self.formats) == Self.formats[3])
        choice.framesPerSecond = 4
        #expect(choice.format(among: Self.formats) == Self.formats[4], "the nearest rate above is better than none")
        choice.size = PixelSize(width: 1921, height: 1080)
        #expect(choice.format(among: Self.formats) == nil)
        #expect(FormatChoice().format(among: []) == nil)
    }

    @Test(
        "A camera that is larger and slower than every preset is used all the same",
        arguments: CapturePreset.allCases
    )
    func poorCamera(preset: CapturePreset) throws {
        let only = try #require(Self.format(.yuyv, 4000, 3000, 2))
        var choice = FormatChoice()
        choice.preset = preset
        #expect(choice.format(among: [only]) == only)
    }
}
