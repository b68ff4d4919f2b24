import Capture
import Testing

struct ControlChangeTests {
    private static let controls = [
        CaptureControl(id: 0x0098_0900, name: "Brightness", range: -10...255, defaultValue: 128),
        CaptureControl(
            id: 0x0098_090c,
            name: "White Balance, Automatic",
            kind: .boolean,
            range: 0...1,
            defaultValue: 1
        ),
        CaptureControl(
            id: 0x009a_0901,
            name: "Auto Exposure",
            kind: .menu,
            range: 0...3,
            defaultValue: 3,
            menu: [.init(value: 1, name: "Manual Mode"), .init(value: 3, name: "Aperture Priority Mode")]
        ),
        CaptureControl(id: 0x009a_0902, name: "Exposure Time", range: 1...5000, defaultValue: 156, isWritable: false),
        CaptureControl(id: 0x0098_0fff, name: "Wide", range: 0...Int64.max, defaultValue: 0),
    ]

    @Test(
        "A control is named in one word, by its driver's name or by its number; values by number, item, word or default",
        arguments: [
            ("brightness=140", 0, 140), ("Brightness = -10", 0, -10), ("0x00980900=0", 0, 0), ("0x980900=255", 0, 255),
            ("brightness=default", 0, 128), ("white_balance_automatic=off", 1, 0),
            ("White Balance, Automatic=on", 1, 1), ("white_balance_automatic=1", 1, 1), ("auto_exposure=1", 2, 1),
            ("auto_exposure=aperture priority mode", 2, 3), ("auto_exposure=default", 2, 3),
        ] as [(String, Int, Int32)]
    )
    func good(text: String, index: Int, value: Int32) throws {
        let change = try #require(CaptureControlChange(text))
        let resolved = try change.resolved(among: Self.controls)
        #expect(resolved.control == Self.controls[index])
        #expect(resolved.value == value)
    }

    @Test(
        "What is no name, an equals sign and a value is no change",
        arguments: ["", "=", "gain", "gain=", " = 3", "=3"]
    )
    func malformed(text: String) {
        #expect(CaptureControlChange(text) == nil)
    }

    @Test(
        "What the camera has not, does not take, or cannot set now is refused with what there is instead",
        arguments: [
            ("gain=3", "the camera has brightness, white_balance_automatic"), ("brightness=256", "from -10 to 255"),
            ("brightness=on", "from -10 to 255"), ("brightness=1.5", "from -10 to 255"),
            ("white_balance_automatic=2", "on or off"), ("auto_exposure=2", "1 Manual Mode, 3 Aperture Priority Mode"),
            ("exposure_time=100", "cannot be set now"), ("0xzz=1", "there is no control 0xzz"),
            ("wide=9223372036854775807", "does not take"), ("brightness=99999999999999999999", "does not take"),
        ]
    )
    func refused(text: String, words: String) throws {
        let change = try #require(CaptureControlChange(text))
        let error = #expect(throws: CaptureError.self) { try change.resolved(among: Self.controls) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
