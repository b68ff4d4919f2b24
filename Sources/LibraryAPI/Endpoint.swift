/// The methods that the library's routes answer to (RFC 9110, section 9; PATCH: RFC 5789).
package enum EndpointMethod: String, CaseIterable, Sendable {
    /// Reads.
    case get = "GET"
    /// Reads the header fields alone.
    case head = "HEAD"
    /// Makes something, or asks for something to be done.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
}

/// One route of the library's HTTP interface, declared once for server and client.
///
/// The template's parameters stand in braces and fill one path segment each. Who may call
/// it is the authorization module's business.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    package let method: EndpointMethod
    /// The path with its parameters in braces, for example `/v1/assets/{id}`.
    package let template: String

    /// Declares a route; only this module and tests have reason to.
    package init(_ method: EndpointMethod, _ template: String) {
        self.method = method
        self.template = template
    }

    /// The names of the parameters, in the order of the path.
    package var parameters: [String] {
        template.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
            .map { String($0.dropFirst().dropLast()) }
    }

    /// The path with its parameters filled in, each percent-encoded (RFC 3986, section 2.1).
    ///
    /// - Parameter values: one value a parameter, in the order of the path; a wrong count is the caller's mistake.
    /// - Returns: a path ready to be sent.
    package func path(_ values: any CustomStringConvertible...) -> String {
        precondition(values.count == parameters.count, "\(self) takes \(parameters.count) values, got \(values.count)")
        var rest = values[...]
        let segments = template.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("{"), let value = rest.popFirst() else { return String(segment) }
            return PercentEncoding.encode(value.description)
        }
        return segments.joined(separator: "/")
    }

    /// The values of the parameters in a path that belongs to this route, still percent-encoded.
    ///
    /// - Parameter path: a path without its query.
    /// - Returns: one value a parameter, in order; nil when the path is another route's.
    package func match(path: String) -> [Substring]? {
        let wanted = template.split(separator: "/", omittingEmptySubsequences: false)
        let found = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == found.count else { return nil }
        var values: [Substring] = []
        for (pattern, segment) in zip(wanted, found) {
            if pattern.hasPrefix("{") {
                guard !segment.isEmpty else { return nil }
                values.append(segment)
            } else if pattern != segment {
                return nil
            }
        }
        return values
    }

    /// Method and template, for logs and tests.
    package var description: String { "\(method.rawValue) \(template)" }
}
