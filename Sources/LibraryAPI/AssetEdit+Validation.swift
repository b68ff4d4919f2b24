import PhotoModel

extension AssetEdit {
    /// The first problem, as the response to the caller; nil if it is acceptable.
    package var problem: ProblemDetails? {
        let texts = [("title", title, APILimits.titleByteCount), ("caption", caption, APILimits.captionByteCount)]
        for case (let name, let text?, let limit) in texts {
            if let problem = ProblemDetails(ofText: text, name, maximumByteCount: limit) { return problem }
        }
        for (name, keywords) in [("addedKeywords", addedKeywords), ("removedKeywords", removedKeywords)]
        where keywords?.count ?? 0 > APILimits.keywordCount {
            return ProblemDetails(
                .tooLarge,
                "An asset has at most \(APILimits.keywordCount) keywords: change fewer at once.",
                field: name
            )
        }
        return ProblemDetails(altitudeOf: location)
    }
}

extension AlbumEdit {
    /// The first problem, as the response to the caller; nil if it is acceptable.
    package var problem: ProblemDetails? {
        if let title {
            if title.isEmpty { return ProblemDetails(.malformedRequest, "An album needs a title.", field: "title") }
            let limit = Album.maximumTitleByteCount
            if let problem = ProblemDetails(ofText: title, "title", maximumByteCount: limit) { return problem }
        }
        guard let order else { return nil }
        return ProblemDetails(ofText: order.rawValue, "order", maximumByteCount: APILimits.albumOrderByteCount)
    }
}

extension ProblemDetails {
    /// The problem of a text that people write; nil if it is acceptable.
    ///
    /// NUL is refused: a reader in C would show less than what is stored.
    init?(ofText text: String, _ name: String, maximumByteCount: Int) {
        if text.utf8.count > maximumByteCount {
            self.init(
                .tooLarge,
                "The field \(name) has at most \(maximumByteCount) bytes, and this one has \(text.utf8.count): shorten it.",
                field: name
            )
        } else if text.utf8.contains(0) {
            self.init(.malformedRequest, "The field \(name) contains a NUL: remove it.", field: name)
        } else {
            return nil
        }
    }

    /// Why a location's altitude is refused; nil if it is acceptable.
    init?(altitudeOf location: Location?) {
        let range = Location.altitudes
        guard let altitude = location?.altitude, !(range ~= altitude) else { return nil }
        self.init(
            .malformedRequest,
            "An altitude is \(Int(range.lowerBound)) to \(Int(range.upperBound)) metres: correct it, or leave it out.",
            field: "location.altitude"
        )
    }
}
