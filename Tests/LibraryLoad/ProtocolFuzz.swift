package import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import Replication
import TestSupport

/// Speaks the whole protocol with valid identities, and breaks every rule of it but the form.
///
/// Each step is one request: an entry of the corpus or any other route, by a caller of any level, filled with names that
/// answers told, and mostly mutated. Steps follow one another, so that a seed makes the same choices again.
package struct ProtocolFuzz {
    /// What a run did and found.
    package struct Outcome: Sendable {
        /// Requests by status; 0 counts those without an answer.
        package var statuses: [Int: Int] = [:]
        /// What must not be, with the requests before it.
        package var violations: [String] = []
    }

    /// One request of the corpus: a method, a path that may have placeholders, and a body.
    private struct Entry: Decodable, Sendable {
        let method: String
        let path: String
        let body: FuzzedJSON?
    }

    private struct FuzzCaller {
        let name: String
        let client: LibraryClient
        var replica: FuzzedReplica?
    }

    /// Names that answers told, by what they name; the newest replace the oldest.
    private struct Names {
        private static let count = 200
        private var values: [String: [String]] = [:]

        mutating func learn(_ kind: String, _ value: String) {
            var known = values[kind, default: []]
            guard !known.contains(value) else { return }
            known.append(value)
            values[kind] = known.suffix(Self.count)
        }

        func some(_ kind: String, _ generator: inout SeededGenerator) -> String? {
            guard let known = values[kind], !known.isEmpty else { return nil }
            return generator.pick(known)
        }

        func identifiers(_ kinds: [String]) -> [UInt128] {
            kinds.flatMap { values[$0] ?? [] }.compactMap { AssetID($0)?.rawValue }
        }
    }

    /// What is never asked for: it writes to folders of the machine's, or ends what asks.
    private static let spared: Set<Endpoint> = [.adminStartTask]

    private let server: ServerProgram
    private let entries: [Entry]
    private var generator: SeededGenerator
    private var callers: [FuzzCaller] = []
    private var names = Names()
    private var recent: [String] = []
    private var outcome = Outcome()

    /// Prepares a run against a server that is running over a library of its own.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - corpus: a folder of JSON files, each a list of entries.
    ///   - seed: decides every choice.
    /// - Throws: when the corpus cannot be read, or asks for what is no route.
    package init(at server: ServerProgram, corpus: URL, seed: UInt64) throws {
        self.server = server
        generator = SeededGenerator(seed: seed)
        let files = try FileManager.default.contentsOfDirectory(at: corpus, includingPropertiesForKeys: nil)
        entries = try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
            .flatMap { try JSONDecoder().decode([Entry].self, from: Data(contentsOf: $0)) }
        guard !entries.isEmpty else { throw LoadError("the corpus \(corpus.path) holds no entry") }
        for entry in entries {
            let isRoute = Endpoint.all.contains { route in
                route.method.rawValue == entry.method && route.match(path: entry.path) != nil
            }
            guard isRoute else { throw LoadError("\(entry.method) \(entry.path) of the corpus is no route") }
        }
    }

    /// Makes requests until their number or the time is reached, or the server has ended.
    ///
    /// - Parameters:
    ///   - count: requests at most.
    ///   - end: no request begins after it.
    /// - Returns: what came of them.
    /// - Throws: when the callers cannot be enrolled.
    package mutating func run(count: Int, until end: ContinuousClock.Instant) async throws -> Outcome {
        try await enrollAll()
        for step in 0..<count {
            guard ContinuousClock.now < end, outcome.violations.isEmpty else { break }
            try await self.step(step)
        }
        if outcome.violations.isEmpty, try await !isAlive() { violate("the server has ended") }
        return outcome
    }

    private mutating func enrollAll() async throws {
        callers = [
            FuzzCaller(name: "operator", client: try server.operators()),
            FuzzCaller(name: "nobody", client: try server.client()),
        ]
        var devices: [LoadDevice] = []
        for answer in ["all", "selected", "add-only", "none"] {
            let device = try await LoadDevice.enroll(at: server, connections: 1)
            let path = "/v1/admin/devices/\(device.id)/decision"
            var request = TransportRequest("POST", path)
            request.fields = [("Content-Type", "application/json")]
            request.body = .bytes(Array("{\"answer\":\"\(answer)\"}".utf8))
            let decided = try await callers[0].client.transport.send(request)
            guard decided.status == 200 else { throw LoadError("\(answer) was answered with \(decided.status)") }
            devices.append(device)
            callers.append(FuzzCaller(name: answer, client: device.client, replica: FuzzedReplica(&generator)))
            names.learn("device", device.id.description)
        }
        for _ in 0..<4 {
            let capture = try SampleCapture(sizes: [Int64(64 + generator.below(2000))], &generator)
            let device = devices[generator.below(3)]
            for upload in try await device.client.createAsset(capture.manifest).uploads {
                let source = capture.contents[0].source()
                _ = try await device.appendWithoutDigest(to: upload.id, at: 0, source, isLast: true)
            }
            _ = try await device.client.commit(capture.manifest.id)
            names.learn("asset", capture.manifest.id.description)
        }
    }

    private mutating func step(_ number: Int) async throws {
        let index = generator.below(callers.count)
        var request = try request(by: index)
        request.answerByteLimit = 16 << 20
        // A stream has no end of its own.
        request.timeout = request.target.contains("stream") ? .milliseconds(300) : .seconds(30)
        note("\(number) \(callers[index].name)", request)
        do {
            let answer = try await callers[index].client.transport.send(request)
            outcome.statuses[answer.status, default: 0] += 1
            learn(from: answer, to: request.target)
            if answer.status >= 500, ![503, 507].contains(answer.status) { violate("answered with \(answer.status)") }
            if answer.status == 401, callers[index].replica != nil { try await enrollAll() }
        } catch {
            outcome.statuses[0, default: 0] += 1
            if try await !isAlive() { violate("the server has ended: \(error)") }
        }
    }

    private func isAlive() async throws -> Bool {
        do {
            return try await server.operators().transport.send(TransportRequest("GET", "/healthz")).status == 200
        } catch {
            return false
        }
    }

    private mutating func violate(_ what: String) {
        outcome.violations.append(([what] + recent.suffix(12) + server.errors).joined(separator: "\n    "))
    }

    private mutating func note(_ caller: String, _ request: TransportRequest) {
        var line = "\(caller): \(request.method) \(request.target)"
        if case .bytes(let bytes) = request.body {
            line += " " + (String(validating: bytes.prefix(2000), as: UTF8.self) ?? "(\(bytes.count) bytes)")
        }
        recent = (recent + [line]).suffix(32)
    }

    // MARK: Requests

    private mutating func request(by index: Int) throws -> TransportRequest {
        if callers[index].replica != nil, generator.oneIn(5) { return try replicated(by: index) }
        if generator.oneIn(12) { return try FuzzedSaving.batch(names.identifiers(["asset"]), &generator) }
        if generator.oneIn(12) { return FuzzedSaving.append(to: name("upload"), &generator) }
        guard generator.oneIn(4) else { return corpusRequest() }
        let endpoint = generator.pick(Endpoint.all.filter { !Self.spared.contains($0) })
        var path = endpoint.template
        for parameter in endpoint.parameters {
            let kind = parameter == "id" ? String(path.split(separator: "/").dropFirst().first ?? "") : parameter
            path = path.replacing(
                "{\(parameter)}",
                with: PercentEncoding.encode(name(Self.kind(of: kind))),
                maxReplacements: 1
            )
        }
        var request = TransportRequest(endpoint.method.rawValue, path + query())
        if ![.get, .head].contains(endpoint.method) {
            attach(generator.pick(entries.compactMap(\.body)), to: &request)
        }
        return request
    }

    private mutating func corpusRequest() -> TransportRequest {
        let entry = generator.pick(entries)
        let path = entry.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("$") ? PercentEncoding.encode(name(String(segment.dropFirst()))) : String(segment)
        }.joined(separator: "/")
        var request = TransportRequest(entry.method, path + (entry.method == "GET" ? query() : ""))
        if let body = entry.body { attach(body, to: &request) }
        return request
    }

    private mutating func attach(_ body: FuzzedJSON, to request: inout TransportRequest) {
        var generator = generator
        let names = names
        var filled = body.filled { kind in Self.name(kind, names, &generator) }
        if !generator.oneIn(3) {
            for _ in 0...generator.below(3) { filled.mutate(&generator) }
        }
        self.generator = generator
        var bytes = Array(filled.text.utf8)
        if generator.oneIn(40), !bytes.isEmpty { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
        request.fields.append(("Content-Type", "application/json"))
        request.body = .bytes(bytes)
    }

    private mutating func replicated(by index: Int) throws -> TransportRequest {
        guard var replica = callers[index].replica else { return corpusRequest() }
        let isContact = generator.oneIn(3)
        if generator.oneIn(20) { replica = FuzzedReplica(&generator) }
        let others = callers.compactMap { $0.replica?.name }
        let time = WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
        let body: any Encodable =
            isContact
            ? try replica.contact(at: time)
            : try replica.push(of: names.identifiers(["asset", "album"]), others: others, at: time, &generator)
        callers[index].replica = replica
        var request = TransportRequest("POST", isContact ? "/v1/heartbeat" : "/v1/changes")
        request.fields = [("Content-Type", "application/json")]
        request.body = .bytes(Array(try JSONEncoder().encode(body)))
        return request
    }

    private mutating func query() -> String {
        guard generator.oneIn(2) else { return "" }
        let keys = [
            "limit", "cursor", "since", "wait", "ranges", "from", "until", "after", "unit", "filter", "sort", "size",
            "as",
            "strip", "device", "asset",
        ]
        let items = (0...generator.below(2)).map { _ in
            let values =
                FuzzedJSON.numbers + [
                    "1", "1", "100", "day", "month", "jpeg", "location", name("token"), name("asset"),
                ]
            let value =
                generator.oneIn(4)
                ? generator.pick(FuzzedJSON.texts.filter { $0.utf8.count < 2000 }) : generator.pick(values)
            return "\(generator.pick(keys))=\(PercentEncoding.encode(value))"
        }
        return "?" + items.joined(separator: "&")
    }

    private mutating func name(_ kind: String) -> String {
        var generator = generator
        defer { self.generator = generator }
        return Self.name(kind, names, &generator)
    }

    private static func name(_ kind: String, _ names: Names, _ generator: inout SeededGenerator) -> String {
        if kind == "time" { return "\(Int64(Date().timeIntervalSince1970 * 1_000_000))" }
        if kind == "new" {
            return AssetID(rawValue: UInt128(generator.next()) << 64 | UInt128(generator.next())).description
        }
        if generator.oneIn(30) {
            return generator.pick(FuzzedJSON.texts.filter { !$0.isEmpty && $0.utf8.count < 2000 })
        }
        return names.some(kind, &generator) ?? AssetID(rawValue: UInt128(generator.next())).description
    }

    // MARK: Answers

    /// What an identifier at the top of an answer names.
    private static func named(by target: String) -> String {
        let words = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        return words.last { Self.kind(of: $0) != $0 }.map(kind) ?? "id"
    }

    /// What a member or a path's part names.
    private static func kind(of word: String) -> String {
        switch word {
        case "assets", "assetID", "asset": "asset"
        case "albums", "albumID", "album": "album"
        case "uploads", "upload": "upload"
        case "resources", "resource": "resource"
        case "picker", "sessions", "session": "session"
        case "devices", "deviceID", "device", "selections": "device"
        case "items", "item": "item"
        default: word
        }
    }

    private mutating func learn(from answer: TransportResponse, to target: String) {
        guard answer.status < 300, answer.body.count < 1 << 20 else { return }
        for line in answer.body.split(separator: UInt8(ascii: "\n")).prefix(50) {
            guard let value = try? JSONDecoder().decode(FuzzedJSON.self, from: Data(line)) else { continue }
            learn(from: value, as: Self.named(by: target))
        }
    }

    private mutating func learn(from value: FuzzedJSON, as kind: String) {
        switch value {
        case .string(let text):
            if text.utf8.count < 500, !text.isEmpty { names.learn(kind, text) }
        case .array(let items): for item in items.prefix(50) { learn(from: item, as: kind) }
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                learn(from: member, as: key == "id" ? kind : Self.kind(of: key))
            }
        case .null, .bool, .number: break
        }
    }
}
