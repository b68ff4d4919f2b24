import FoundationEssentials
import PhotoModel
import TestSupport
import Testing

struct IdentifierTests {
    @Test("an identifier is read in either case and written in lower case")
    func text() throws {
        let text = "0190B5C8-7E4D-7ABC-8123-456789ABCDEF"
        let id = try #require(AssetID(text))
        #expect(id.description == text.lowercased())
        #expect(AssetID(bytes: id.bytes) == id)
        #expect(try #require(ContentIdentifier(text)).fileText == text)
    }

    @Test(
        "what is no UUID gives no identifier",
        arguments: [
            "", "0190b5c8", "0190b5c87e4d7abc8123456789abcdef", "0190b5c8-7e4d-7abc-8123-456789abcdeg",
            "0190b5c8-7e4d-7abc-8123-456789abcdef0", "0190b5c8-7e4d-7abc-81234-56789abcdef",
            "0190b5c8-7e4d-7abc-8123-456789abcdé",
        ]
    )
    func malformed(text: String) {
        #expect(AssetID(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AssetID.self, from: Data("\"\(text)\"".utf8))
        }
    }

    @Test("version 7 identifiers carry the time, the version and the variant, and sort by time")
    func version7() {
        checkProperty("version 7") { generator, _ in
            let early = Int64(generator.below(1 << 40))
            let first = AssetID.version7(unixMilliseconds: early, using: &generator)
            let second = AssetID.version7(unixMilliseconds: early + 1, using: &generator)
            guard first < second else { return "\(first) is not before \(second)" }
            guard first.rawValue >> 80 == UInt128(early) else { return "the time of \(first) is not \(early)" }
            let version = first.bytes[6] >> 4
            let variant = first.bytes[8] >> 6
            return version == 7 && variant == 2 ? nil : "\(first): version \(version), variant \(variant)"
        }
    }

    @Test("the same digest gives the same version 8 identifier, another digest another one")
    func derived() throws {
        let one = try #require(ContentDigest(bytes: [UInt8](repeating: 0xFF, count: 32)))
        let other = try #require(ContentDigest(bytes: [UInt8](repeating: 0xFE, count: 32)))
        #expect(AssetID.derived(from: one).description == "ffffffff-ffff-8fff-bfff-ffffffffffff")
        #expect(AssetID.derived(from: one) == .derived(from: one))
        #expect(AssetID.derived(from: one) != .derived(from: other))
    }

    @Test("a digest is 64 hexadecimal digits, nothing else")
    func digest() throws {
        let text = String(repeating: "0123456789abcdef", count: 4)
        #expect(try #require(ContentDigest(text)).description == text)
        #expect(ContentDigest(String(text.dropLast())) == nil)
        #expect(ContentDigest(text + "0") == nil)
        #expect(ContentDigest(String(text.dropLast()) + "x") == nil)
        #expect(ContentDigest(bytes: [1, 2, 3]) == nil)
    }

    @Test("a device's identifier survives its text; any wrong character is noticed")
    func deviceCheckDigits() {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        checkProperty("device identifiers", cases: 50) { generator, _ in
            let id = DeviceID.random(using: &generator)
            let text = id.description
            guard text.utf8.count == 31, DeviceID(text) == id else { return "\(text) does not lead back" }
            guard DeviceID(text.lowercased().replacing("-", with: "")) == id else { return "\(text) in lower case" }
            for position in 0..<text.count where Array(text)[position] != "-" {
                var changed = Array(text)
                changed[position] = generator.pick(alphabet.filter { $0 != changed[position] })
                if DeviceID(String(changed)) != nil { return "\(String(changed)) was taken for \(text)" }
            }
            return nil
        }
    }

    @Test("T33: a file name keeps its bytes, and a path is no file name")
    func fileNames() throws {
        let broken = try #require(FileName(bytes: [0x49, 0x4D, 0xFF, 0x2E, 0x6A]))
        let encoded = try JSONEncoder().encode(broken)
        #expect(String(decoding: encoded, as: UTF8.self) == #"{"hex":"494dff2e6a"}"#)
        #expect(try JSONDecoder().decode(FileName.self, from: encoded) == broken)
        #expect(FileName("e\u{301}.jpg") != FileName("\u{e9}.jpg"))
        #expect(FileName("IMG_1.HEIC")?.stem == FileName("IMG_1.MOV")?.stem)
        #expect(FileName(String(repeating: "x", count: 255)) != nil)
        for text in ["", ".", "..", "a/b", "/etc/passwd", "a\0b", String(repeating: "x", count: 256)] {
            #expect(FileName(text) == nil, "\(text)")
        }
    }
}
