import DeviceIdentity
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
        /// Entries of the corpus, as method and path, that were answered without an error as they stand.
        package var accepted: Set<String> = []
        /// What must not be, with the requests before it.
        package var violations: [String] = []
    }

    /// One request of the corpus: a method, a path that may have placeholders, and a body.
    private struct Entry: Decodable, Sendable {
        let method: String
        let path: String
        let body: FuzzedJSON?

        var name: String { "\(method) \(path)" }
    }

    private struct FuzzCaller {
        let name: String
        let client: LibraryClient
        var key: DeviceKey?
        var replica: FuzzedReplica?
    }

    private struct Step {
        var request: TransportRequest
        /// The entry of the corpus that it repeats as it stands.
        var entry: String?
    }

    private static let enrollmentToken = "enrollmentToken"
    /// What is never asked for: it writes to folders of the machine's, or ends what asks.
    private static let spared: Set<Endpoint> = [.adminStartTask]

    private let server: ServerProgram
    private let entries: [Entry]
    private var generator: SeededGenerator
    private var callers: [FuzzCaller] = []
    private var names = FuzzedNames()
    private var recent: [String] = []
    private var outcome = Outcome()

    /// The corpus's entries, as method and path.
    package var corpus: Set<String> { Set(entries.map(\.name)) }

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
            guard isRoute else { throw LoadError("\(entry.name) of the corpus is no route") }
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
            callers.append(
                FuzzCaller(
                    name: answer,
                    client: device.client,
                    key: try DeviceKey(pem: device.identity.key),
                    replica: FuzzedReplica(&generator)
                )
            )
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
        var index = generator.below(callers.count)
        let step = try request(by: index)
        var request = step.request
        // Only operators get further there.
        if ["/v1/picks/", "/v1/admin/"].contains(where: request.target.hasPrefix), !generator.oneIn(3) { index = 0 }
        if let secret = names.secret(for: request.target, &generator) {
            request.fields.append(("Tintype-Pick-Secret", secret))
        }
        request.answerByteLimit = 16 << 20
        // A stream has no end of its own.
        request.timeout = request.target.contains("stream") ? .milliseconds(300) : .seconds(30)
        note("\(number) \(callers[index].name)", request)
        do {
            let answer = try await callers[index].client.transport.send(request)
            outcome.statuses[answer.status, default: 0] += 1
            learn(from: answer, to: request.target)
            if answer.status < 400, let entry = step.entry { outcome.accepted.insert(entry) }
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

    private mutating func request(by index: Int) throws -> Step {
        if callers[index].replica != nil, generator.oneIn(5) { return Step(request: try replicated(by: index)) }
        if generator.oneIn(12) {
            return Step(request: try FuzzedSaving.batch(names.identifiers(["asset"]), &generator))
        }
        if generator.oneIn(12) {
            return Step(request: FuzzedSaving.append(to: names.name("upload", &generator), &generator))
        }
        guard generator.oneIn(4) else { return try corpusRequest(by: index) }
        let endpoint = generator.pick(Endpoint.all.filter { !Self.spared.contains($0) })
        var path = endpoint.template
        for parameter in endpoint.parameters {
            let kind = parameter == "id" ? String(path.split(separator: "/").dropFirst().first ?? "") : parameter
            path = path.replacing(
                "{\(parameter)}",
                with: PercentEncoding.encode(names.name(Self.kind(of: kind, in: path), &generator)),
                maxReplacements: 1
            )
        }
        var request = TransportRequest(endpoint.method.rawValue, path + query())
        if ![.get, .head].contains(endpoint.method) {
            _ = try attach(generator.pick(entries.compactMap(\.body)), to: &request, by: index)
        }
        return Step(request: request)
    }

    private mutating func corpusRequest(by index: Int) throws -> Step {
        let entry = generator.pick(entries)
        let path = entry.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("$") else { return String(segment) }
            let kind = Self.kind(of: String(segment.dropFirst()), in: entry.path)
            return PercentEncoding.encode(names.name(kind, &generator))
        }.joined(separator: "/")
        var step = Step(request: TransportRequest(entry.method, path + (entry.method == "GET" ? query() : "")))
        let isMutated = try entry.body.map { try attach($0, to: &step.request, by: index) } ?? false
        if !isMutated { step.entry = entry.name }
        return step
    }

    /// Adds a body with its placeholders filled, and returns whether it was mutated besides.
    private mutating func attach(_ body: FuzzedJSON, to request: inout TransportRequest, by index: Int) throws -> Bool {
        let (own, new) = (callers[index].key ?? DeviceKey(), DeviceKey())
        let signing = try new.signingRequest().der
        let keys = [
            "ownSigningRequest": try own.signingRequest().der, "signingRequest": signing,
            "proof": try own.signature(for: signing),
        ]
        var filled = body.filled { kind in
            keys[kind].map { Data($0).base64EncodedString() } ?? names.name(kind, &generator)
        }
        var isMutated = !generator.oneIn(3)
        if isMutated {
            for _ in 0...generator.below(3) { filled.mutate(&generator) }
        }
        var bytes = Array(filled.text.utf8)
        if generator.oneIn(40), !bytes.isEmpty {
            bytes[generator.below(bytes.count)] = UInt8(generator.below(256))
            isMutated = true
        }
        request.fields.append(("Content-Type", "application/json"))
        request.body = .bytes(bytes)
        return isMutated
    }

    private mutating func replicated(by index: Int) throws -> TransportRequest {
        guard var replica = callers[index].replica else { throw LoadError("\(callers[index].name) has no replica") }
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
        guard generator.oneIn(4) else { return "" }
        let keys = [
            "limit", "cursor", "since", "wait", "ranges", "from", "until", "after", "unit", "filter", "sort", "size",
            "as",
            "strip", "device", "asset",
        ]
        let items = (0...generator.below(2)).map { _ in
            let values =
                FuzzedJSON.numbers + [
                    "1", "1", "100", "day", "month", "jpeg", "location", names.name("token", &generator),
                    names.name("asset", &generator),
                ]
            let value =
                generator.oneIn(4)
                ? generator.pick(FuzzedJSON.texts.filter { $0.utf8.count < 2000 }) : generator.pick(values)
            return "\(generator.pick(keys))=\(PercentEncoding.encode(value))"
        }
        return "?" + items.joined(separator: "&")
    }

    // MARK: Answers

    /// What an identifier at the top of an answer names.
    private static func named(by target: String) -> String {
        let words = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        return words.last { Self.kind(of: $0) != $0 }.map(kind) ?? "id"
    }

    /// What a path's part names.
    private static func kind(of word: String, in path: String) -> String {
        let kind = kind(of: word)
        let isPick = kind == "session" && ["/v1/picks/", "/v1/picker/"].contains(where: path.hasPrefix)
        return isPick ? FuzzedNames.pick : kind
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
        case "archives": "archive"
        case "enrollments": "enrollment"
        case "enrollment-tokens": enrollmentToken
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
                if key == "pickURI", case .string(let uri) = member { names.learn(pickURI: uri) }
                let isOwnName = key == "id" || kind == Self.enrollmentToken && key == "token"
                learn(from: member, as: isOwnName ? kind : Self.kind(of: key))
            }
        case .null, .bool, .number: break
        }
    }
}
