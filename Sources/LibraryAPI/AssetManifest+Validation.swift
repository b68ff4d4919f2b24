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
        let texts: [(String?, String, Int)] = [
            (title, "title", APILimits.titleByteCount), (caption, "caption", APILimits.captionByteCount),
            (placeName, "placeName", APILimits.placeNameByteCount),
            (captureFacts?.trigger, "captureFacts.trigger", CaptureFacts.maximumTriggerByteCount),
            (captureFacts?.mask, "captureFacts.mask", CaptureFacts.maximumMaskByteCount),
            (captureTime.source.rawValue, "captureTime.source", APILimits.captureSourceByteCount),
            (adjustment?.formatIdentifier, "adjustment.formatIdentifier", AdjustmentRequest.formatByteCount),
            (adjustment?.formatVersion, "adjustment.formatVersion", AdjustmentRequest.formatByteCount),
        ]
        for case (let text?, let name, let limit) in texts {
            if let problem = ProblemDetails(ofText: text, name, maximumByteCount: limit) { return problem }
        }
        guard LocalTime.offsets ~= captureTime.utcOffsetSeconds ?? 0 else {
            return ProblemDetails(
                .resourceInvalid,
                "A place is at most \(LocalTime.offsets.upperBound) seconds from UTC.",
                field: "captureTime.utcOffsetSeconds"
            )
        }
        if let problem = ProblemDetails(altitudeOf: location) { return problem }
        if keywords?.count ?? 0 > APILimits.keywordCount {
            return ProblemDetails(
                .tooLarge,
                "An asset has at most \(APILimits.keywordCount) keywords.",
                field: "keywords"
            )
        }
        if case .title(let title) = desiredAlbum, let problem = AlbumEdit(title: title).problem {
            return ProblemDetails(.resourceInvalid, problem.detail, field: "desiredAlbum.title")
        }
        return nil
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
        case .empty(let id): "Resource \(id) has no bytes: leave it out, or correct its length."
        case .pairedVideoWithoutPhoto(let id): "Resource \(id) is a Live Photo's movie: describe the photo with it."
        case .repeatedIdentifier(let id): "Two resources have the identifier \(id): give each its own."
        case .repeatedType(let type): "Two resources have type \(type.rawValue), which an asset can have only once."
        case .tooMany(let limit): "An asset has at most \(limit) resources."
        }
    }
}
