import PhotoModel
import Testing

struct DirectionControlTests {
    @Test(
        "what only turns the direction of text is left out",
        arguments: [0x61C...0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069] as [ClosedRange<UInt32>]
    )
    func controls(_ range: ClosedRange<UInt32>) throws {
        for value in range {
            let scalar = try #require(Unicode.Scalar(value))
            #expect("IMG\(scalar)gpj.exe\(scalar)".withoutDirectionControls == "IMGgpj.exe", "\(value)")
        }
    }

    @Test("text of any script stays, joined emoji too", arguments: ["", "IMG 1.JPG", "אב.jpg", "صورة 1.jpg", "👨‍👩‍👧.heic"])
    func others(_ text: String) {
        #expect(Array(text.withoutDirectionControls.unicodeScalars) == Array(text.unicodeScalars))
    }
}
