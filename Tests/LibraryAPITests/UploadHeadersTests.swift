import LibraryAPI
import PhotoModel
import RawStructuredFieldValues
import TestSupport
import Testing

struct UploadHeadersTests {
    private func read(_ fields: [String: String]) -> UploadHeaders {
        UploadHeaders { fields[$0] }
    }

    @Test("what is written is read back")
    func roundTrip() {
        checkProperty("upload headers") { generator, _ in
            func number() -> Int64? { generator.oneIn(3) ? nil : Int64(generator.below(1 << 40)) }
            func digest() -> ContentDigest? { generator.oneIn(2) ? nil : ContentDigest(bytes: generator.bytes(32)) }
            let headers = UploadHeaders(
                offset: number(),
                isComplete: generator.oneIn(3) ? nil : generator.oneIn(2),
                length: number(),
                limit: generator.oneIn(2) ? nil : UploadHeaders.limits,
                contentDigest: digest()
            )
            let fields = Dictionary(headers.fields.map { ($0.name, $0.value) }) { first, _ in first }
            return read(fields) == headers ? nil : "\(fields)"
        }
    }

    @Test("draft 5: a field of another form is ignored, whole")
    func ignored() {
        let headers = read([
            "Upload-Offset": "-1", "Upload-Complete": "1", "Upload-Length": "10.0",
            "Content-Digest": "sha-256=AQID",
        ])
        #expect(headers == UploadHeaders())
    }

    @Test("draft 5.1.4: limits are a dictionary of counts")
    func limits() {
        #expect(
            StructuredField.dictionary(UploadHeaders.limits) == [
                "max-size": .integer(APILimits.resourceByteCount), "max-append-size": .integer(1 << 30),
                "max-age": .integer(14 * 86_400),
            ]
        )
    }

    @Test("RFC 9530: the digest of the specification's example")
    func digestExample() {
        // Appendix B.1: {"hello": "world"} and a line feed.
        let text = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        let digest = DigestField.sha256(text)
        #expect(digest?.description == "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38")
        #expect(digest.map(DigestField.text) == text)
        #expect(DigestField.sha256("sha-512=:AA==:, \(text)") == digest)
        #expect(DigestField.sha256("sha-256=:AA==:") == nil)
    }
}
