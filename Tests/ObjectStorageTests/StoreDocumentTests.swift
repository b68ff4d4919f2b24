import TestSupport
import Testing

@testable import ObjectStorage

struct StoreDocumentTests {
    @Test("a list is read element by element, with what is optional missing, and entities are text")
    func groups() throws {
        let text = """
            <?xml version="1.0"?><!-- none --><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Name>b</Name><Contents><Key>a&amp;b</Key><Size>1</Size><Owner><ID>x</ID></Owner></Contents>
            <Contents><Key>&#x63;&#100;</Key><ETag/><Size>22</Size></Contents><IsTruncated>false</IsTruncated>
            </ListBucketResult>
            """
        let document = try #require(StoreDocument(text.utf8))
        #expect(document.root == "ListBucketResult")
        #expect(document.groups("Contents").map { $0["Key"] } == ["a&b", "cd"])
        #expect(document.groups("Contents").map { $0["Size"] } == ["1", "22"])
        #expect(document.text("IsTruncated") == "false")
        #expect(document.text("NextContinuationToken") == nil)
    }

    @Test(
        "what is not a whole document is refused: a list that was cut must not pass for a short one",
        arguments: [
            "", "<", "</a>", "<a><b>", "a < b", "<a/></a></a>", "<a>", "<a><b/></a", "<a></b>", "<a/><b/>", "<>",
            "< a/>",
            String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
            "<a>" + String(repeating: "<b/>", count: 50_000) + "</a>",
        ]
    )
    func broken(text: String) {
        #expect(StoreDocument(text.utf8) == nil)
    }

    @Test("entities are never expanded, so no document grows")
    func entities() throws {
        let text = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxx\">]><a>&x;&x;</a>"
        #expect(try #require(StoreDocument(text.utf8)).text("a") == "\u{FFFD}\u{FFFD}")
    }

    @Test("bytes of any kind are read without harm")
    func random() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let alphabet = Array("<>/&;#ab\"= ".utf8)
            let bytes = generator.bytes(200).map { alphabet[Int($0) % alphabet.count] }
            _ = StoreDocument(bytes)?.groups("a")
        }
    }
}
