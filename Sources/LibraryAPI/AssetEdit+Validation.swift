extension AssetEdit {
    /// The first problem, as the response to the caller; nil if it is acceptable.
    package var problem: ProblemDetails? {
        let texts = [
            ("title", title, APILimits.titleByteCount), ("caption", caption, APILimits.captionByteCount),
        ]
        for case (let name, let text?, let limit) in texts where text.utf8.count > limit {
            return ProblemDetails(
                .tooLarge,
                "A \(name) has at most \(limit) bytes, and this one has \(text.utf8.count): shorten it.",
                field: name
            )
        }
        for (name, keywords) in [("addedKeywords", addedKeywords), ("removedKeywords", removedKeywords)]
        where keywords?.count ?? 0 > APILimits.keywordCount {
            return ProblemDetails(
                .tooLarge,
                "An asset has at most \(APILimits.keywordCount) keywords: change fewer at once.",
                field: name
            )
        }
        return nil
    }
}
