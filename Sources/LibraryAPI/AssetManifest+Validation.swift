import PhotoModel

extension AssetManifest {
    /// The first problem, as the response to the device; nil if it is acceptable.
    ///
    /// Checks everything that needs no library access: the resources form an asset, and every text and count is within
    /// its limit.
    package var problem: ProblemDetails? {
        if let problem = AssetResource.problem(in: resources) {
            return ProblemDetails(problem.code, problem.explanation, field: "resources")
        }
        return resources.lazy.compactMap(\.problem).first ?? textProblem
    }

    private var textProblem: ProblemDetails? {
        if title?.utf8.count ?? 0 > APILimits.titleByteCount {
            return Self.tooLarge("a title", Int64(APILimits.titleByteCount), "bytes", field: "title")
        }
        if caption?.utf8.count ?? 0 > APILimits.captionByteCount {
            return Self.tooLarge("a caption", Int64(APILimits.captionByteCount), "bytes", field: "caption")
        }
        if placeName?.utf8.count ?? 0 > APILimits.placeNameByteCount {
            return Self.tooLarge("a place's name", Int64(APILimits.placeNameByteCount), "bytes", field: "placeName")
        }
        if captureFacts?.trigger?.utf8.count ?? 0 > CaptureFacts.maximumTriggerByteCount {
            return Self.tooLarge(
                "a trigger",
                Int64(CaptureFacts.maximumTriggerByteCount),
                "bytes",
                field: "captureFacts.trigger"
            )
        }
        if captureFacts?.mask?.utf8.count ?? 0 > CaptureFacts.maximumMaskByteCount {
            return Self.tooLarge(
                "a mask",
                Int64(CaptureFacts.maximumMaskByteCount),
                "bytes",
                field: "captureFacts.mask"
            )
        }
        if keywords?.count ?? 0 > APILimits.keywordCount {
            return Self.tooLarge("the list of keywords", Int64(APILimits.keywordCount), "entries", field: "keywords")
        }
        if case .title(let title) = desiredAlbum,
            title.isEmpty || title.utf8.contains(0)
                || title.utf8.count > Album.maximumTitleByteCount
        {
            return ProblemDetails(
                .resourceInvalid,
                "An album's title has 1 to \(Album.maximumTitleByteCount) bytes.",
                field: "desiredAlbum.title"
            )
        }
        return nil
    }

    private static func tooLarge(_ what: String, _ limit: Int64, _ unit: String, field: String) -> ProblemDetails {
        ProblemDetails(.tooLarge, "The limit for \(what) is \(limit) \(unit).", field: field)
    }

}

extension AssetResource {
    /// The first problem of a described resource; nil if it is acceptable.
    var problem: ProblemDetails? {
        guard 1...APILimits.resourceByteCount ~= byteCount else {
            return ProblemDetails(
                byteCount < 1 ? .resourceInvalid : .tooLarge,
                "A resource has 1 to \(APILimits.resourceByteCount) bytes.",
                field: "resources.byteCount"
            )
        }
        guard Self.isContentType(contentType) else {
            return ProblemDetails(
                .resourceInvalid,
                "A content type is type/subtype in ASCII (RFC 9110, section 8.3.1), at most "
                    + "\(APILimits.contentTypeByteCount) bytes.",
                field: "resources.contentType"
            )
        }
        return nil
    }

    private static func isContentType(_ text: String) -> Bool {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= APILimits.contentTypeByteCount && sides.count == 2
            && sides.allSatisfy { side in
                !side.isEmpty && side.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"\"(),:;<=>?@[\\]{}".utf8.contains($0) }
            }
    }
}

extension AssetResource.Problem {
    fileprivate var code: ErrorCode {
        switch self {
        case .noPrimaryResource, .pairedVideoWithoutPhoto: .resourceMissing
        case .tooMany: .tooLarge
        case .empty, .repeatedIdentifier, .repeatedType: .resourceInvalid
        }
    }

    fileprivate var explanation: String {
        switch self {
        case .noPrimaryResource: "An asset needs a photo, a video or a sound: describe one."
        case .empty(let id): "Resource \(id) has no bytes: leave it out, or describe what it has."
        case .pairedVideoWithoutPhoto(let id): "Resource \(id) is a Live Photo's movie: describe the photo with it."
        case .repeatedIdentifier(let id): "Two resources are called \(id): give each its own identifier."
        case .repeatedType(let type): "Two resources are of type \(type.rawValue), of which an asset has one."
        case .tooMany(let limit): "An asset has at most \(limit) resources."
        }
    }
}
