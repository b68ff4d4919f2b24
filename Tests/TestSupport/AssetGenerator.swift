package import PhotoModel

/// Makes assets and filters that have a good chance of meeting each other.
package enum AssetGenerator {
    /// Albums that assets are in and filters ask for.
    package static let albums = (1...3).map { AlbumID(rawValue: $0) }
    /// Devices that assets come from and filters ask for.
    package static let devices = (1...3).map { DeviceID(rawValue: $0) }
    /// Words that texts are made of, some of them equal but for case, accent or normal form.
    package static let words = ["gate", "Café", "cafe\u{301}", "snow", "Ünï", "7"]

    /// An asset with every field that a filter or an order looks at.
    package static func asset(_ generator: inout SeededGenerator, id: AssetID? = nil) -> Asset {
        var asset = Asset(
            id: id ?? AssetID(rawValue: UInt128(generator.next())),
            mediaType: generator.pick([.image, .video, .audio, .unknown, MediaType(rawValue: 9)]),
            captureTime: CaptureTime(
                wall: time(&generator),
                utcOffsetSeconds: generator.oneIn(2) ? generator.pick([3600, -25_200, 45_900, 0]) : nil,
                source: .deviceClock,
                isSynchronized: generator.oneIn(2)
            )
        )
        asset.mediaSubtypes = MediaSubtypes(rawValue: UInt(generator.next() & 0x3F_041F))
        asset.playbackStyle = PlaybackStyle(rawValue: generator.below(6))
        asset.captureDateOverride = generator.oneIn(4) ? time(&generator) : nil
        asset.additionDate = generator.oneIn(4) ? nil : time(&generator)
        asset.deviceID = generator.oneIn(5) ? nil : generator.pick(devices)
        asset.title = generator.oneIn(2) ? phrase(&generator) : nil
        asset.caption = generator.oneIn(3) ? phrase(&generator) : nil
        asset.keywords = Set((0..<generator.below(3)).compactMap { _ in Keyword(generator.pick(words)) })
        asset.rating = Rating(rawValue: generator.below(6)) ?? .unrated
        asset.isFavorite = generator.oneIn(3)
        asset.isHidden = generator.oneIn(4)
        asset.trashedAt = generator.oneIn(4) ? time(&generator) : nil
        asset.albums = Set(albums.filter { _ in generator.oneIn(3) })
        asset.location = generator.oneIn(2) ? location(&generator) : nil
        asset.placeName = generator.oneIn(3) ? phrase(&generator) : nil
        asset.resources = (0..<generator.below(3)).compactMap { resource($0, &generator) }
        if generator.oneIn(3) {
            asset.burst = BurstMembership(
                id: BurstID(rawValue: 1),
                representsBurst: generator.oneIn(2),
                selectionTypes: .init(rawValue: UInt(generator.below(4)))
            )
        }
        return asset
    }

    /// A filter of at most so many levels.
    package static func filter(_ generator: inout SeededGenerator, depth: Int) -> AssetFilter {
        switch generator.below(depth > 1 ? 13 : 10) {
        case 0, 1: .kind(generator.pick(AssetFilter.Kind.allCases))
        case 2: .playbackStyle(PlaybackStyle(rawValue: generator.below(6)))
        case 3:
            .captured(
                .init(
                    from: generator.oneIn(3) ? nil : bound(&generator),
                    until: generator.oneIn(3) ? nil : bound(&generator)
                )
            )
        case 4: .device(generator.pick(devices))
        case 5: .album(generator.pick(albums))
        case 6: Keyword(generator.pick(words)).map(AssetFilter.keyword) ?? .images
        case 7:
            generator.oneIn(2) ? .rating(atLeast: Rating(rawValue: generator.below(6)) ?? .unrated) : circle(&generator)
        case 8: .text(phrase(&generator))
        case 9: box(&generator)
        case 10: .any((0..<generator.below(4)).map { _ in filter(&generator, depth: depth - 1) })
        case 11: .all((0..<generator.below(4)).map { _ in filter(&generator, depth: depth - 1) })
        default: .not(filter(&generator, depth: depth - 1))
        }
    }

    /// An instant, or a time on the clocks of the places.
    private static func bound(_ generator: inout SeededGenerator) -> AssetFilter.DateBound {
        let time = time(&generator)
        return generator.oneIn(2) ? .instant(time) : .local(LocalTime(time, utcOffsetSeconds: 0))
    }

    private static func time(_ generator: inout SeededGenerator) -> WallTime {
        // A few days, seconds with several times in them, and now and then a clock that was set by nobody.
        let day = generator.oneIn(12) ? generator.pick([-150_000, -1, 0, 150_000]) : 19_675 + generator.below(20)
        return WallTime(millisecondsSince1970: Int64(day) * 86_400_000 + Int64(generator.below(4)) * 400)
    }

    private static func phrase(_ generator: inout SeededGenerator) -> String {
        (0..<1 + generator.below(3)).map { _ in generator.pick(words) }.joined(
            separator: generator.pick([" ", ", ", "-"])
        )
    }

    /// A part of an asset, with the name that it came with or without one.
    private static func resource(_ index: Int, _ generator: inout SeededGenerator) -> AssetResource? {
        guard let digest = ContentDigest(bytes: generator.bytes(32)) else { return nil }
        return AssetResource(
            id: ResourceID(rawValue: UInt128(generator.next())),
            type: index == 0 ? .photo : .alternatePhoto,
            digest: digest,
            byteCount: 1,
            contentType: "image/jpeg",
            originalFilename: generator.oneIn(3) ? nil : fileName(&generator)
        )
    }

    /// A name that people gave, now and then in bytes that are no UTF-8.
    private static func fileName(_ generator: inout SeededGenerator) -> FileName? {
        let stem = Array(phrase(&generator).utf8)
        let ending: [UInt8] = generator.oneIn(4) ? [0xFF] : Array(".JPG".utf8)
        return FileName(bytes: stem + ending)
    }

    private static func location(_ generator: inout SeededGenerator) -> Location? {
        Location(latitude: Double(generator.below(180)) - 90, longitude: Double(generator.below(360)) - 180)
    }

    private static func circle(_ generator: inout SeededGenerator) -> AssetFilter {
        guard let center = location(&generator),
            let circle = GeographicCircle(center: center, radiusMeters: Double(1 + generator.below(9_000_000)))
        else { return .images }
        return .near(circle)
    }

    private static func box(_ generator: inout SeededGenerator) -> AssetFilter {
        let latitudes = [Double(generator.below(181)) - 90, Double(generator.below(181)) - 90].sorted()
        let box = GeographicBox(
            west: Double(generator.below(361)) - 180,
            south: latitudes[0],
            east: Double(generator.below(361)) - 180,
            north: latitudes[1]
        )
        return box.map(AssetFilter.inside) ?? .images
    }
}
