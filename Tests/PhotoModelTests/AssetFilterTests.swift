import FoundationEssentials
import PhotoModel
import TestSupport
import Testing

struct AssetFilterTests {
    @Test("004.34: a nested filter has the documented form on the wire")
    func form() throws {
        let filter = AssetFilter.all([.images, .not(.any([.kind(.screenshots), .kind(.panoramas)]))])
        let text = #"{"all":["images",{"not":{"any":["screenshots","panoramas"]}}]}"#
        #expect(String(decoding: try JSONEncoder().encode(filter), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(AssetFilter.self, from: Data(text.utf8)) == filter)
    }

    @Test("D4: ends of a range with an offset are instants, others are read on the clock of each place")
    func dates() throws {
        let text = #"{"captured":{"from":"2026-05-31","until":"2026-06-01T05:00:00Z"}}"#
        let filter = try JSONDecoder().decode(AssetFilter.self, from: Data(text.utf8))
        let day = LocalTime("2026-05-31T00:00:00").map(AssetFilter.DateBound.local)
        let instant = WallTime("2026-06-01T05:00:00Z").map(AssetFilter.DateBound.instant)
        #expect(filter == .captured(.init(from: day, until: instant)))
        #expect(try JSONDecoder().decode(AssetFilter.self, from: JSONEncoder().encode(filter)) == filter)
        for wrong in ["2026-02-30", "05-31", "yesterday", "2026-05-31T24:00:00", ""] {
            let text = #"{"captured":{"from":"\#(wrong)"}}"#
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(AssetFilter.self, from: Data(text.utf8)) }
        }
        let time = try CaptureTime(
            wall: #require(WallTime("2026-06-01T04:59:00Z")),
            utcOffsetSeconds: -25_200,
            source: .fileMetadata,
            isSynchronized: true
        )
        var asset = Asset(id: AssetID(rawValue: 1), mediaType: .image, captureTime: time)
        #expect(filter.matches(asset) && asset.localCaptureDate.description == "2026-05-31T21:59:00")
        asset.captureTime.utcOffsetSeconds = -90_000
        #expect(asset.localCaptureDate.description == "2026-05-31T10:59:00", "at most 18 hours")
        asset.captureTime.utcOffsetSeconds = nil
        asset.assumedUTCOffsetSeconds = 3600
        #expect(asset.localCaptureDate.description == "2026-06-01T05:59:00")
    }

    @Test("004.31-004.33: any is or, all is and, not is the complement, whatever the filters")
    func laws() {
        checkProperty("filter laws", cases: 500, maximumSize: 5) { generator, size in
            let left = AssetGenerator.filter(&generator, depth: size)
            let right = AssetGenerator.filter(&generator, depth: size)
            let asset = AssetGenerator.asset(&generator)
            let (first, second) = (left.matches(asset), right.matches(asset))
            guard AssetFilter.any([left, right]).matches(asset) == (first || second) else {
                return "any of \(left), \(right)"
            }
            guard AssetFilter.all([left, right]).matches(asset) == (first && second) else {
                return "all of \(left), \(right)"
            }
            guard AssetFilter.not(left).matches(asset) == !first else { return "not \(left)" }
            let encoded = try JSONEncoder().encode(left)
            let decoded = try JSONDecoder().decode(AssetFilter.self, from: encoded)
            return decoded == left ? nil : "\(left) came back as \(decoded)"
        }
    }

    @Test("any of nothing matches nothing, all of nothing matches everything")
    func empty() {
        var generator = SeededGenerator(seed: 1)
        let asset = AssetGenerator.asset(&generator)
        #expect(!AssetFilter.any([]).matches(asset))
        #expect(AssetFilter.all([]).matches(asset))
    }

    @Test("each kind looks at its own mark", arguments: AssetFilter.Kind.allCases)
    func kinds(kind: AssetFilter.Kind) {
        var plain = Asset(
            id: AssetID(rawValue: 1),
            mediaType: .unknown,
            captureTime: CaptureTime(
                wall: WallTime(microsecondsSince1970: 0),
                source: .deviceClock,
                isSynchronized: true
            )
        )
        #expect(!AssetFilter.kind(kind).matches(plain))
        switch kind {
        case .images: plain.mediaType = .image
        case .videos: plain.mediaType = .video
        case .livePhotos: plain.mediaSubtypes = .photoLive
        case .screenshots: plain.mediaSubtypes = .photoScreenshot
        case .bursts: plain.burst = BurstMembership(id: BurstID(rawValue: 1))
        case .panoramas: plain.mediaSubtypes = .photoPanorama
        case .timelapses: plain.mediaSubtypes = .videoTimelapse
        case .slomoVideos: plain.mediaSubtypes = .videoHighFrameRate
        case .screenRecordings: plain.mediaSubtypes = .videoScreenRecording
        case .depthEffectPhotos: plain.mediaSubtypes = .photoDepthEffect
        case .cinematicVideos: plain.mediaSubtypes = .videoCinematic
        case .favorites: plain.isFavorite = true
        }
        let matching = AssetFilter.Kind.allCases.filter { AssetFilter.kind($0).matches(plain) }
        #expect(matching == [kind])
    }

    @Test(
        "what is no filter is refused with the names that exist",
        arguments: [
            #""pictures""#, "{}", #"{"any":["images"],"not":"videos"}"#, #"{"nothing":1}"#, #"{"rating":9}"#, "7", "[]",
            #"{"near":{"center":{"latitude":0,"longitude":0},"radiusMeters":-1}}"#, #"{"text":5}"#,
            #"{"inside":{"west":0,"south":1,"east":1,"north":0}}"#,
            #"{"inside":{"west":-181,"south":0,"east":1,"north":1}}"#,
            #"{"inside":{"west":0,"south":0,"east":1}}"#,
        ]
    )
    func malformed(text: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AssetFilter.self, from: Data(text.utf8))
        }
        if text.contains("pictures") {
            #expect("\(try #require(error))".contains("livePhotos"))
        }
    }

    @Test("T41: a filter beyond the caps is refused, at any depth that JSON allows")
    func caps() {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"not":"#, count: depth - 1) + #""images""# + String(repeating: "}", count: depth - 1)
        }
        func isAccepted(_ text: String) -> Bool {
            (try? JSONDecoder().decode(AssetFilter.self, from: Data(text.utf8))) != nil
        }
        #expect(isAccepted(nested(AssetFilter.Limit.depth)))
        #expect(!isAccepted(nested(AssetFilter.Limit.depth + 1)))
        #expect(!isAccepted(nested(500)))
        let kinds = { (count: Int) in
            #"{"any":["# + Array(repeating: #""images""#, count: count).joined(separator: ",") + "]}"
        }
        #expect(isAccepted(kinds(AssetFilter.Limit.nodes - 1)))
        #expect(!isAccepted(kinds(AssetFilter.Limit.nodes)))
        #expect(!isAccepted(#"{"text":""# + String(repeating: "x", count: AssetFilter.Limit.textBytes + 1) + #""}"#))
        #expect(throws: AssetFilter.Problem.tooLarge) {
            try AssetFilter.any(Array(repeating: .images, count: 256)).validate()
        }
    }

    @Test("T96: a filter searches for so many words in a text, and so many in all of them")
    func manyWords() throws {
        func text(_ count: Int) -> AssetFilter {
            .text(Array(repeating: "a", count: count).joined(separator: ","))
        }
        try text(AssetFilter.Limit.textWords).validate()
        #expect(throws: AssetFilter.Problem.tooManyWords) { try text(AssetFilter.Limit.textWords + 1).validate() }
        let texts = Array(repeating: text(16), count: AssetFilter.Limit.words / 16)
        try AssetFilter.any(texts).validate()
        #expect(throws: AssetFilter.Problem.tooManyWords) { try AssetFilter.any(texts + [.not(text(1))]).validate() }
    }

    @Test("a filter that was stored before words were limited can be read")
    func storedWords() throws {
        let stored = AssetFilter.not(.text(Array(repeating: "a", count: 200).joined(separator: " ")))
        #expect(try JSONDecoder().decode(AssetFilter.self, from: JSONEncoder().encode(stored)) == stored)
    }

    @Test(
        "a text search finds beginnings of words, whatever case and accents",
        arguments: [
            ("cafe", true), ("CAFÉ", true), ("cafe\u{301}", true), ("caf gat", true), ("afe", false),
            ("gate snow", false),
            ("", false), ("  ,", false), ("img_7", true), ("jpg", true),
        ]
    )
    func search(query: String, isFound: Bool) {
        #expect(SearchText.matches(query: query, texts: ["Café at the gate", "IMG_7.jpg"]) == isFound)
    }

    @Test("inside: edges belong to the box, and one whose west is greater than its east crosses the date line")
    func inside() throws {
        func isInside(_ west: Double, _ east: Double, _ longitude: Double, latitude: Double = 0) throws -> Bool {
            let box = try #require(GeographicBox(west: west, south: -10, east: east, north: 10))
            return box.contains(try #require(Location(latitude: latitude, longitude: longitude)))
        }
        #expect(try isInside(-5, 5, -5) && isInside(-5, 5, 5) && isInside(-5, 5, 0, latitude: 10))
        #expect(try !isInside(-5, 5, 5.001) && !isInside(-5, 5, 0, latitude: 10.001))
        #expect(try isInside(170, -170, 180) && isInside(170, -170, -180) && isInside(170, -170, -175))
        #expect(try !isInside(170, -170, 169) && !isInside(170, -170, 0))
        #expect(GeographicBox(west: 0, south: .nan, east: 1, north: 1) == nil)
    }

    @Test("near: distances on the sphere, across the date line and the pole")
    func near() throws {
        func isNear(_ a: (Double, Double), _ b: (Double, Double), meters: Double) throws -> Bool {
            let center = try #require(Location(latitude: a.0, longitude: a.1))
            let place = try #require(Location(latitude: b.0, longitude: b.1))
            return try #require(GeographicCircle(center: center, radiusMeters: meters)).contains(place)
        }
        // Berlin to Paris: 877.5 km on this sphere.
        #expect(try isNear((52.52, 13.405), (48.8566, 2.3522), meters: 879_000))
        #expect(try !isNear((52.52, 13.405), (48.8566, 2.3522), meters: 876_000))
        #expect(try isNear((0, 179.999), (0, -179.999), meters: 300))
        #expect(try isNear((89.999, 0), (89.999, 180), meters: 300))
        #expect(try isNear((0, 0), (0, 180), meters: GeographicCircle.maximumRadiusMeters))
    }
}
