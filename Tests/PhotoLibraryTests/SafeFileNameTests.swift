import PhotoModel
import Testing

@testable import PhotoLibrary

struct SafeFileNameTests {
    @Test(
        "A name from a library never hides, leads elsewhere, or drives a terminal, and ends as its bytes do",
        arguments: [
            ("IMG_1.JPG", "image/jpeg", "IMG_1.JPG"),
            (".bashrc", "image/jpeg", "_bashrc.jpg"),
            ("no ending", "image/heic", "no ending.heic"),
            ("a\\b\u{1B}[2J.jpg", "image/jpeg", "a_b_[2J.jpg"),
            ("IMG\u{202E}gpj\u{2069}.exe", "image/jpeg", "IMGgpj.exe"),
            ("\u{61C}\u{200F}.\u{2066}bashrc", "image/jpeg", "_bashrc.jpg"),
            (".\u{301}bashrc", "image/jpeg", "_\u{301}bashrc.jpg"),
            ("\u{200E}\u{202A}", "image/jpeg", "\(AssetID(rawValue: 1)).jpg"),
        ]
    )
    func names(_ original: String, _ contentType: String, _ expected: String) {
        let name = SafeFileName(FileName(original), identifier: AssetID(rawValue: 1), contentType: contentType)
        #expect(name.text(attempt: 1) == expected)
    }

    @Test("Without a name it is the identifier; a taken one gets a number; a long one leaves room; a pair has one stem")
    func fallbacks() {
        let nameless = SafeFileName(nil, identifier: AssetID(rawValue: 1), contentType: "video/mp4")
        #expect(nameless.text(attempt: 1) == "\(AssetID(rawValue: 1)).mp4")
        let long = SafeFileName(
            FileName(String(repeating: "ä", count: 125) + ".jpg"),
            identifier: AssetID(rawValue: 1),
            contentType: nil
        )
        #expect(long.text(attempt: 2).utf8.count <= 230)
        #expect(long.text(attempt: 2).hasSuffix(" (2).jpg"))
        #expect(nameless.pairedMovie(with: "IMG_1 (2).HEIC").text(attempt: 1) == "IMG_1 (2).mov")
    }

    @Test(
        "T101: a name of any extension, or of one letter with any number of marks, is cut, and never hidden",
        arguments: [
            "a." + String(repeating: "x", count: 250), "." + String(repeating: "x", count: 254),
            "a.b." + String(repeating: "y", count: 240), "e" + String(repeating: "\u{301}", count: 120) + ".jpg",
        ]
    )
    func long(_ original: String) throws {
        let original = try #require(FileName(original), "a library may send this name")
        let name = SafeFileName(original, identifier: AssetID(rawValue: 1), contentType: "image/jpeg")
        for attempt in [1, 2, Int.max] {
            let text = name.text(attempt: attempt)
            #expect(text.utf8.count <= 230)
            #expect(text.hasSuffix(".jpg"))
            #expect(!text.utf8.starts(with: " ".utf8) && !text.utf8.starts(with: ".".utf8))
        }
    }
}
