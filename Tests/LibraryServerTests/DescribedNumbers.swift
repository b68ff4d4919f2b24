import Foundation
import LibraryAPI
import PhotoModel
import Yams

/// Every request that openapi.yaml describes with a number in it: in its query, a header field or its JSON body.
///
/// Each has the required fields and the path to one number, so that a decoder reaches that number.
struct DescribedNumbers {
    /// A request with extreme values in place of one number.
    struct Probe {
        var method: String
        var path: String
        var headers: [(String, String)] = []
        var body: [UInt8] = []
    }

    private typealias Object = [String: Any]

    /// Stands for the number until it is replaced, as text in JSON and in a path.
    private static let mark = "9090909"

    private let root: Object
    private let asset: String
    private let device: String

    /// Reads the description.
    ///
    /// - Parameters:
    ///   - yaml: openapi.yaml.
    ///   - asset: the identifier to use in paths and bodies.
    ///   - device: the identifier to use in operators' paths.
    /// - Throws: a `YamlError`.
    init(yaml: String, asset: String, device: String) throws {
        root = try Yams.load(yaml: yaml) as? Object ?? [:]
        self.asset = asset
        self.device = device
    }

    /// One probe for each described number and each of some texts in its place.
    func probes(_ numbers: [String]) throws -> [Probe] {
        var marked: [Probe] = []
        for (template, item) in root["paths"] as? Object ?? [:] {
            for (method, operation) in item as? Object ?? [:] {
                guard let operation = operation as? Object else { continue }
                let identifier = template.hasPrefix("/v1/admin/") ? device : asset
                let path = template.replacing(#/\{[a-z]+\}/#, with: identifier)
                marked += try probes(of: operation, Probe(method: method.uppercased(), path: path))
            }
        }
        return marked.flatMap { probe in
            numbers.map { number in
                var copy = probe
                copy.path.replace(Self.mark, with: number)
                copy.headers = copy.headers.map { ($0, $1.replacing(Self.mark, with: number)) }
                let text = String(decoding: copy.body, as: UTF8.self)
                copy.body = Array(text.replacing("\"\(Self.mark)\"", with: number).utf8)
                return copy
            }
        }
    }

    private func probes(of operation: Object, _ base: Probe) throws -> [Probe] {
        var probes: [Probe] = []
        for parameter in (operation["parameters"] as? [Any] ?? []).map(resolved) {
            guard let name = parameter["name"] as? String, let schema = parameter["schema"] else { continue }
            let values =
                name == "filter"
                ? try marked(schemas["Filter"] ?? [:]).map {
                    try Self.text($0).replacing("\"\(Self.mark)\"", with: Self.mark)
                }
                : marked(schema).isEmpty ? [] : [Self.mark]
            for value in values {
                var probe = base
                switch parameter["in"] as? String {
                case "query": probe.path += "?" + PercentEncoding.query([(name, value)])
                case "header": probe.headers = [(name, value), ("Content-Type", "application/partial-upload")]
                default: continue
                }
                probes.append(probe)
            }
        }
        let content = resolved(operation["requestBody"] ?? [:])["content"] as? Object ?? [:]
        guard let schema = (content["application/json"] as? Object)?["schema"] else { return probes }
        return try probes
            + marked(schema).map { value in
                var probe = base
                probe.headers = [("Content-Type", "application/json")]
                probe.body = Array(try Self.text(value).utf8)
                return probe
            }
    }

    private static func text(_ value: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }

    // MARK: Samples of schemas

    private var schemas: Object { (root["components"] as? Object)?["schemas"] as? Object ?? [:] }

    private func resolved(_ node: Any) -> Object {
        guard let node = node as? Object else { return [:] }
        guard let reference = node["$ref"] as? String else { return node }
        let target = reference.dropFirst(2).split(separator: "/").reduce(root as Any?) { ($0 as? Object)?[String($1)] }
        return resolved(target ?? [:])
    }

    /// Samples of a schema, in each of which one number is the mark; a schema within itself is entered once.
    private func marked(_ node: Any, within: Set<String> = []) -> [Any] {
        var within = within
        if let reference = (node as? Object)?["$ref"] as? String, !within.insert(reference).inserted { return [] }
        let schema = resolved(node)
        if ["integer", "number"].contains(schema["type"] as? String) { return [Self.mark] }
        let parts = ["oneOf", "anyOf", "allOf"].flatMap { schema[$0] as? [Any] ?? [] }
        let variants = parts.flatMap { marked($0, within: within) }
        let items = schema["items"].map { marked($0, within: within).map { [$0] as Any } } ?? []
        let entries = schema["additionalProperties"].map { marked($0, within: within).map { ["a": $0] as Any } } ?? []
        let plain = plain(schema) as? Object ?? [:]
        let properties = (schema["properties"] as? Object ?? [:]).flatMap { name, property in
            marked(property, within: within).map { plain.merging([name: $0]) { $1 } as Any }
        }
        return variants + items + entries + properties
    }

    /// A sample of a schema with its required fields.
    private func plain(_ node: Any) -> Any {
        let schema = resolved(node)
        if let values = schema["enum"] as? [Any], let first = values.first { return first }
        if let parts = (schema["oneOf"] ?? schema["anyOf"]) as? [Any], let first = parts.first { return plain(first) }
        switch schema["type"] as? String {
        case "integer", "number": return 1
        case "boolean": return true
        case "array": return schema["items"].map { [plain($0)] } ?? []
        case "string":
            if schema["format"] as? String == "uuid" { return asset }
            // No folder can be made there.
            return (schema["pattern"] as? String)?.hasPrefix("^/") == true ? "/dev/null/library" : "MQ=="
        default:
            let properties = schema["properties"] as? Object ?? [:]
            let required = (schema["required"] as? [String] ?? []).compactMap { name in
                properties[name].map { (name, plain($0)) }
            }
            return Object(uniqueKeysWithValues: required)
        }
    }
}
