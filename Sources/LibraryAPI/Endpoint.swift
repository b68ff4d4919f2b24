import PhotoModel

/// The methods of the library's routes (RFC 9110, section 9; PATCH: RFC 5789).
package enum EndpointMethod: String, CaseIterable, Sendable {
    /// Reads.
    case get = "GET"
    /// Reads only the header fields.
    case head = "HEAD"
    /// Creates something, or requests an action.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes part of something.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
}

/// One route of the library's HTTP interface, declared once for server and client.
///
/// The template's parameters are in braces and fill one path segment each. The authorization module decides who may
/// call it.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    package let method: EndpointMethod
    /// The path with parameters in braces, for example `/v1/assets/{id}`.
    package let template: String

    /// Declares a route; only for this module and tests.
    package init(_ method: EndpointMethod, _ template: String) {
        self.method = method
        self.template = template
    }

    /// The names of the parameters, in path order.
    package var parameters: [String] {
        template.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
            .map { String($0.dropFirst().dropLast()) }
    }

    /// Fills in the path's parameters, percent-encoding each (RFC 3986, section 2.1).
    ///
    /// - Parameter values: one value per parameter, in path order; a wrong count is a programming error.
    /// - Returns: the path to send.
    package func path(_ values: [any CustomStringConvertible]) -> String {
        precondition(values.count == parameters.count, "\(self) takes \(parameters.count) values, got \(values.count)")
        var rest = values[...]
        let segments = template.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("{"), let value = rest.popFirst() else { return String(segment) }
            return PercentEncoding.encode(value.description)
        }
        return segments.joined(separator: "/")
    }

    /// Method and template, for logs and tests.
    package var description: String { "\(method.rawValue) \(template)" }
}
