import ObjectStorage
import ObjectStorageTestSupport
import PhotoModel
import Testing

struct ObjectClientTests {
    private static let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    @Test("an object is stored, found, read in part, listed and deleted, below the prefix")
    func objects() async throws {
        try await FakeObjectStore().run { store in
            let client = try store.client()
            try await client.put("a/b", Self.content)
            #expect(store.keys == ["library/a/b"])
            #expect(try await client.byteCount("a/b") == 1000)
            #expect(try await client.get("a/b", 10..<20) == Array(Self.content[10..<20]))
            let listed = try await client.list("a/").objects
            #expect(listed.map(\.key) == ["a/b"] && listed.map(\.byteCount) == [1000])
            try await client.delete("a/b")
            try await client.delete("a/b")
            #expect(try await client.byteCount("a/b") == nil)
            #expect(await code { _ = try await client.get("a/b", 0..<1) } == .notFound)
        }
    }

    @Test("a list goes on until its end")
    func pages() async throws {
        try await FakeObjectStore().run { store in
            let client = try store.client()
            for number in 0..<1003 { store.change("library/n/\(10_000 + number)") { $0 = [1] } }
            let first = try await client.list("n/")
            #expect(first.objects.count == 1000)
            let second = try await client.list("n/", after: first.next)
            #expect(second.objects.count == 3 && second.next == nil)
        }
    }

    @Test(
        "what fails for a moment is asked for again: refusals, answers that are lost, bodies that are cut",
        arguments: [
            .refuses(500, "InternalError"), .refuses(503, "SlowDown"), .refuses(429, "TooManyRequests"),
            .refuses(400, "RequestTimeout"), .loses, .cuts,
        ] as [FakeObjectStore.Fault]
    )
    func repeats(fault: FakeObjectStore.Fault) async throws {
        try await FakeObjectStore().run { store in
            let client = try store.client()
            for _ in 0..<3 { store.fail(fault) { $0.method == "PUT" } }
            try await client.put("a", Self.content)
            #expect(store.asked.count { $0.method == "PUT" } == 4)
            store.fail(fault) { $0.method == "GET" }
            #expect(try await client.get("a", 0..<1000) == Self.content)
            #expect(store.faultCount == 0)
        }
    }

    @Test("a store that stays away is unavailable, and one that refuses is not asked again")
    func givesUp() async throws {
        try await FakeObjectStore().run { store in
            let client = try store.client()
            store.isAway = true
            #expect(await code { _ = try await client.get("a", 0..<1) } == .unavailable)
            #expect(store.asked.count == 4)
            #expect(await code { _ = try await client.small("a", isCheck: true) } == .unavailable)
            #expect(store.asked.count == 5, "whether it is ready is asked once")
            store.isAway = false
            store.fail(.refuses(403, "AccessDenied"))
            #expect(await code { _ = try await client.get("a", 0..<1) } == .denied)
            #expect(store.asked.count == 6)
        }
    }

    @Test("bytes that the store finds to be others are refused")
    func checksums() async throws {
        try await FakeObjectStore().run { store in
            let client = try store.client()
            store.fail(.refuses(400, "BadDigest"))
            #expect(await code { try await client.put("a", [1]) } == .damaged)
        }
    }

    @Test("an object is made of parts; an answer that is lost changes nothing, and neither does an error under 200")
    func parts() async throws {
        try await FakeObjectStore().run { store in
            let client = try store.client()
            let upload = try await client.beginParts("a")
            var parts: [ObjectClient.Part] = []
            for number in 1...3 {
                let bytes = [UInt8](repeating: UInt8(number), count: 10)
                store.fail(.loses) { $0.query.contains("partNumber") }
                parts.append(
                    try await client.putPart(number, of: upload, "a", bytes)
                )
            }
            let listed = try await client.parts(of: upload, "a") ?? []
            #expect(listed.map(\.number) == [1, 2, 3] && listed.map(\.tag) == parts.map(\.tag))
            #expect(try await client.uploads(of: "a") == [upload])
            store.fail(.refuses(200, "InternalError")) { $0.method == "POST" }
            store.fail(.loses) { $0.method == "POST" }
            try await client.complete(upload, "a", parts)
            #expect(try await client.get("a", 9..<21) == [1] + [UInt8](repeating: 2, count: 10) + [3])
            #expect(try await client.parts(of: upload, "a") == nil)
            let other = try await client.beginParts("b")
            try await client.abort(other, "b")
            try await client.abort(other, "b")
            #expect(store.uploadCount == 0)
        }
    }

    @Test("a bucket that can be used is found to be, and whether it compares digests", arguments: [true, false])
    func probes(comparesChecksums: Bool) async throws {
        try await FakeObjectStore().run { store in
            store.comparesChecksums = comparesChecksums
            let report = try await ObjectStoreProbe(store.client()).run("probe")
            #expect(report.comparesChecksums == comparesChecksums)
            #expect(store.keys == [], "it leaves nothing")
        }
    }

    @Test(
        "a store that confirms too early, unless told otherwise, is known by its name, whatever it does with digests",
        arguments: [("SeaweedFS 30GB 4.48", true, true), ("SeaweedFS 3.60", false, true), ("other", true, false)]
    )
    func engines(engine: String, comparesChecksums: Bool, isEarly: Bool) async throws {
        try await FakeObjectStore().run { store in
            (store.engine, store.comparesChecksums) = (engine, comparesChecksums)
            let report = try await ObjectStoreProbe(store.client()).run("probe")
            #expect(report.confirmsEarlyByDefault == isEarly && report.comparesChecksums == comparesChecksums)
        }
    }

    @Test("what is set wrong is told by name: bucket, region, key, what the key may, and the address")
    func refuses() async throws {
        try await FakeObjectStore().run { store in
            func expect(_ problem: ObjectStoreProbe.Problem, of client: ObjectClient) async throws {
                await #expect(throws: problem) { _ = try await ObjectStoreProbe(client).run("probe") }
            }
            try await expect(.bucket, of: store.client(bucket: "other"))
            try await expect(.region("AuthorizationHeaderMalformed"), of: store.client(region: "mars-1"))
            let stranger = ObjectStoreCredentials(accessKey: "stranger", secretKey: "x")
            try await expect(.credentials("InvalidAccessKeyId"), of: store.client(credentials: stranger))
            store.fail(.refuses(403, "SignatureDoesNotMatch"))
            try await expect(.credentials("SignatureDoesNotMatch"), of: store.client())
            store.fail(.refuses(403, "AccessDenied")) { $0.method == "PUT" }
            try await expect(.permission("put (403 AccessDenied)"), of: store.client())
            store.fail(.refuses(501, "NotImplemented")) { $0.query == ["uploads"] }
            try await expect(
                .store("it cannot begin a multipart upload (501 NotImplemented)"),
                of: store.client()
            )
            #expect(store.keys == [], "it leaves nothing")
            // Whatever this is, it does not say why in S3's format.
            store.fail(.refuses(403, ""))
            try await expect(.endpoint("403"), of: store.client())
            store.isAway = true
            try await expect(.away("503 ServiceUnavailable"), of: store.client(attempts: 1))
        }
    }

    @Test(
        "an endpoint and a bucket are read",
        arguments: [("https://s3.example", 443), ("http://127.0.0.1:9000/", 9000)]
    )
    func locations(endpoint: String, port: Int) throws {
        let location = try #require(
            ObjectStoreLocation(endpoint: endpoint, bucket: "photos/library/", region: "r-1", addressing: .path)
        )
        #expect(location.prefix == "library/" && location.bucket == "photos" && location.port == port)
    }

    @Test(
        "what is no endpoint, no bucket or no region is refused",
        arguments: [
            ("s3.example", "photos", "r"), ("https://", "photos", "r"), ("https://a b", "photos", "r"),
            ("https://a:0", "photos", "r"), ("https://a:70000", "photos", "r"), ("https://a/b", "photos", "r"),
            ("https://a", "", "r"), ("https://a", "p?", "r"), ("https://a", "photos", ""),
            ("https://a", "photos", "r/1"),
            ("https://a", "photos/\n", "r"),
        ]
    )
    func noLocations(endpoint: String, bucket: String, region: String) {
        #expect(
            ObjectStoreLocation(endpoint: endpoint, bucket: bucket, region: region, addressing: .virtualHost) == nil
        )
    }

    private func code(_ body: () async throws -> Void) async -> ObjectStorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ObjectStorageError)?.code
        }
    }
}
