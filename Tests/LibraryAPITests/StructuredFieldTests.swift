import LibraryAPI
import PhotoModel
import RawStructuredFieldValues
import TestSupport
import Testing

struct StructuredFieldTests {
    @Test(
        "RFC 9651: items are read strictly",
        arguments: [
            ("12", .integer(12)), ("-0", .integer(0)), (" 999999999999999 ", .integer(999_999_999_999_999)),
            ("1;a=2;b", .integer(1)), ("?1", .bool(true)), ("?0", .bool(false)),
            (":AQI=:", .undecodedByteSequence("AQI=")),
            ("\"a\\\"b\"", .string("a\"b")), ("token/x", .token("token/x")), ("@0", .date(0)),
            ("%\"f%c3%bc\"", .displayString("fü")),
        ] as [(String, RFC9651BareItem)]
    )
    func items(text: String, value: RFC9651BareItem) {
        #expect(StructuredField.item(text) == value)
    }

    @Test(
        "RFC 9651: what is no item is refused",
        arguments: [
            "", " ", "1000000000000000", "--1", "1 2", "1,2", "?2", "?", ":AQI=", "\"a", "\"\\n\"",
            "1.", "1.2345", "1;A", "1;", "é", "@1.5", "%\"%zz\"", "(1 2)",
        ]
    )
    func brokenItems(text: String) {
        #expect(StructuredField.item(text) == nil)
    }

    @Test("RFC 9651: in a dictionary unknown members are stepped over and the last of a key counts")
    func dictionaries() {
        let members = StructuredField.dictionary("a=1, b;x=2 ,\tc=(1 \"x\";y);z, a=3, *d=tok")
        #expect(members == ["a": .integer(3), "b": .bool(true), "*d": .token("tok")])
        #expect(StructuredField.dictionary("") == [:])
        for broken in ["a=1,", ",a", "A=1", "a=1 b=2", "a=(1", "a=(1\"x\")", "a=", "a==1"] {
            #expect(StructuredField.dictionary(broken) == nil, "\(broken)")
        }
    }

    @Test("no text makes the reader trap")
    func hostile() {
        let alphabet = Array("a1?:\";,=()@%-. \\*é\u{0}")
        checkProperty("structured fields", cases: 2000) { generator, size in
            let text = String((0..<size).map { _ in generator.pick(alphabet) })
            _ = StructuredField.item(text)
            _ = StructuredField.dictionary(text)
            return nil
        }
    }

    @Test("base 64 is read strictly and comes back as it was")
    func base64() {
        checkProperty("base 64") { generator, size in
            let bytes = generator.bytes(size)
            return Base64.decode(Base64.encode(bytes)) == bytes ? nil : "\(bytes)"
        }
        for broken in ["A", "AA", "AAA", "A===", "AB==", "AAB=", "AA=A", "A A=", "====", "__==", "AAAA="] {
            #expect(Base64.decode(broken) == nil, "\(broken)")
        }
        #expect(Base64.decode("") == [])
    }
}
