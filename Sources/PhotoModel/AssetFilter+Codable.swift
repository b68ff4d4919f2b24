extension AssetFilter: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case playbackStyle, captured, device, album, keyword, rating, text, near, inside, any, all, not
    }

    /// Decodes the form described at the type and enforces the limits, except those of words: see ``validate()``.
    ///
    /// - Throws: `DecodingError`; its underlying error is a `Problem` if a limit was exceeded.
    public init(from decoder: any Decoder) throws {
        // Each nesting level adds at most two steps to the path; stop before the recursion gets deep, not after.
        guard decoder.codingPath.count <= 64 + 2 * Limit.depth else { throw Self.refusal(.tooDeep, decoder) }
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            guard let kind = Kind(rawValue: name) else {
                throw Self.unknown(name, decoder)
            }
            self = .kind(kind)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw Self.unknown(nil, decoder)
        }
        self = try Self.decode(key, from: container)
        do {
            try validateForm()
        } catch {
            throw Self.refusal(error, decoder)
        }
    }

    private static func decode(_ key: CodingKeys, from container: KeyedDecodingContainer<CodingKeys>) throws -> Self {
        switch key {
        case .playbackStyle: .playbackStyle(try container.decode(PlaybackStyle.self, forKey: key))
        case .captured: .captured(try container.decode(DateRange.self, forKey: key))
        case .device: .device(try container.decode(DeviceID.self, forKey: key))
        case .album: .album(try container.decode(AlbumID.self, forKey: key))
        case .keyword: .keyword(try container.decode(Keyword.self, forKey: key))
        case .rating: .rating(atLeast: try container.decode(Rating.self, forKey: key))
        case .text: .text(try container.decode(String.self, forKey: key))
        case .near: .near(try container.decode(GeographicCircle.self, forKey: key))
        case .inside: .inside(try container.decode(GeographicBox.self, forKey: key))
        case .any: .any(try container.decode([AssetFilter].self, forKey: key))
        case .all: .all(try container.decode([AssetFilter].self, forKey: key))
        case .not: .not(try container.decode(AssetFilter.self, forKey: key))
        }
    }

    /// Encodes the form described at the type.
    public func encode(to encoder: any Encoder) throws {
        if case .kind(let kind) = self {
            return try kind.rawValue.encode(to: encoder)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .kind: break
        case .playbackStyle(let style): try container.encode(style, forKey: .playbackStyle)
        case .captured(let range): try container.encode(range, forKey: .captured)
        case .device(let id): try container.encode(id, forKey: .device)
        case .album(let id): try container.encode(id, forKey: .album)
        case .keyword(let keyword): try container.encode(keyword, forKey: .keyword)
        case .rating(let rating): try container.encode(rating, forKey: .rating)
        case .text(let text): try container.encode(text, forKey: .text)
        case .near(let circle): try container.encode(circle, forKey: .near)
        case .inside(let box): try container.encode(box, forKey: .inside)
        case .any(let filters): try container.encode(filters, forKey: .any)
        case .all(let filters): try container.encode(filters, forKey: .all)
        case .not(let filter): try container.encode(filter, forKey: .not)
        }
    }

    private static func unknown(_ name: String?, _ decoder: any Decoder) -> DecodingError {
        let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        let keys = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
        let found =
            name.map { "“\($0.prefix(40))” is no kind of asset" } ?? "a filter is an object with exactly one key"
        return .dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "\(found); there are the kinds \(kinds) and the keys \(keys)"
            )
        )
    }

    private static func refusal(_ problem: Problem, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: problem.description, underlyingError: problem)
        )
    }
}

extension AssetFilter.DateBound: Codable {
    /// Reads a time with its offset, or a day or a time without one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if let time = WallTime(text) {
            self = .instant(time)
        } else if let time = LocalTime(text) {
            self = .local(time)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "neither a day nor an ISO 8601 time: \(text.prefix(64))"
            )
        }
    }

    /// Writes one string, with an offset for an instant alone.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .instant(let time): try time.encode(to: encoder)
        case .local(let time): try time.encode(to: encoder)
        }
    }
}
