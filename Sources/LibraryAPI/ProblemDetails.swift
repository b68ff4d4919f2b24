import PhotoModel

/// An error on the wire: `application/problem+json` (RFC 9457) with what to do next.
package struct ProblemDetails: Error, Hashable, Sendable, Codable {
    /// The media type.
    package static let contentType = "application/problem+json"
    static let typePrefix = "/v1/problems/"

    /// The problem; programs read its `code` part.
    package var type: String
    /// A short text for people.
    package var title: String
    /// The HTTP status.
    package var status: Int
    /// What happened here, and what to do next.
    package var detail: String
    /// When a retry makes sense.
    package var retry: RetryAdvice
    /// Seconds to wait, if the server knows; also sent as `Retry-After`.
    package var retryAfterSeconds: Int?
    /// The request it is about, as in the server's log.
    package var instance: String?
    /// The upload's offset (the draft's member name), with `upload.offset_mismatch`.
    package var expectedOffset: Int64?
    /// The offset sent, with `upload.offset_mismatch`.
    package var providedOffset: Int64?
    /// The invalid field of the request, if any.
    package var field: String?

    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, retry, retryAfterSeconds, instance, field
        case expectedOffset = "expected-offset"
        case providedOffset = "provided-offset"
    }

    /// Creates a problem with its code's status and texts.
    ///
    /// - Parameters:
    ///   - code: the problem.
    ///   - detail: what happened, and what to do next; no secret, no file content.
    ///   - field: the invalid field of the request.
    ///   - retryAfterSeconds: how long to wait.
    package init(_ code: ErrorCode, _ detail: String, field: String? = nil, retryAfterSeconds: Int? = nil) {
        type = code.type
        title = code.title
        status = code.status
        retry = code.retry
        self.detail = detail
        self.field = field
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// An append that does not start at the upload's offset.
    package static func offsetMismatch(expected: Int64, provided: Int64) -> ProblemDetails {
        var problem = ProblemDetails(
            .offsetMismatch,
            "The upload is at byte \(expected), not \(provided): continue from \(expected)."
        )
        problem.expectedOffset = expected
        problem.providedOffset = provided
        return problem
    }

    /// The code; nil if this version does not know it: status and retry still apply.
    package var code: ErrorCode? {
        type.hasPrefix(Self.typePrefix) ? ErrorCode(rawValue: String(type.dropFirst(Self.typePrefix.count))) : nil
    }

    /// The longest wait that a response can ask for: 31 days, in seconds.
    package static let longestRetrySeconds = 31 * 86_400

    /// Decodes any version's problem; missing members are derived from the code, impossible numbers are clamped.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decodeIfPresent(String.self, forKey: .type) ?? "about:blank"
        status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 500
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
        detail = try container.decodeIfPresent(String.self, forKey: .detail) ?? ""
        let advice = try container.decodeIfPresent(String.self, forKey: .retry).flatMap(RetryAdvice.init(rawValue:))
        retry = advice ?? (status >= 500 ? .after : .never)
        retryAfterSeconds = try container.decodeIfPresent(Int.self, forKey: .retryAfterSeconds)?
            .clamped(to: 0...Self.longestRetrySeconds)
        instance = try container.decodeIfPresent(String.self, forKey: .instance)
        let offsets = 0...AssetResource.maximumByteCount
        expectedOffset = try container.decodeIfPresent(Int64.self, forKey: .expectedOffset)?.clamped(to: offsets)
        providedOffset = try container.decodeIfPresent(Int64.self, forKey: .providedOffset)?.clamped(to: offsets)
        field = try container.decodeIfPresent(String.self, forKey: .field)
    }
}
