import PhotoModel
import Testing

@testable import ObjectStorage

/// Requests as Amazon's documentation signs them, with the key that is printed there.
struct SignatureTests {
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func signature(
        _ path: String,
        _ query: [(name: String, value: String)] = [],
        _ headers: [(name: String, value: String)] = []
    ) throws -> String {
        let signer = RequestSignature(
            credentials: ObjectStoreCredentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE",
                secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
            ),
            region: "us-east-1",
            host: "examplebucket.s3.amazonaws.com",
            time: try #require(WallTime("2013-05-24T00:00:00Z"))
        )
        let fields = signer.headers(
            for: .init(
                method: "GET",
                path: path,
                query: query,
                headers: headers,
                bodyDigest: try #require(ContentDigest(Self.empty))
            )
        )
        #expect(fields.contains { $0 == ("x-amz-date", "20130524T000000Z") })
        let authorization = try #require(fields.first { $0.name == "authorization" }?.value)
        #expect(authorization.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"))
        return String(authorization.suffix(64))
    }

    @Test("a signature is the one that the documentation prints: with a header, a value without text, two values")
    func documented() throws {
        let range = [(name: "range", value: "bytes=0-9")]
        #expect(
            try signature("/test.txt", [], range) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
        #expect(
            try signature("/", [("lifecycle", "")])
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        )
        #expect(
            try signature("/", [("prefix", "J"), ("max-keys", "2")])
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        )
    }

    @Test("everything but letters, digits and four marks is encoded, byte by byte")
    func encodes() {
        #expect(RequestSignature.encoded("a/b c~é+", keepingSlashes: true) == "a/b%20c~%C3%A9%2B")
        #expect(RequestSignature.encoded("a/b=") == "a%2Fb%3D")
    }
}
