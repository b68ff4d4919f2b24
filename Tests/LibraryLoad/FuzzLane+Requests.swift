import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import Replication
import TestSupport

/// One made-up request at a time.
extension FuzzLane {
    /// A request to be made.
    struct Step {
        var request: TransportRequest
        /// The entry of the corpus that it repeats as it stands.
        var entry: String?
    }

    /// What is never asked for: it writes to folders of the machine's, or ends what asks.
    private static let spared: Set<Endpoint> = [.adminStartTask]

    mutating func request(by index: Int) throws -> Step {
        if callers[index].replica != nil, generator.oneIn(5) { return Step(request: try replicated(by: index)) }
        if generator.oneIn(12) {
            return Step(request: try FuzzedSaving.batch(book(of: index).identifiers(["asset"]), &generator))
        }
        if generator.oneIn(12) {
            return Step(request: FuzzedSaving.append(to: name("upload", by: index), &generator))
        }
        guard generator.oneIn(4) else { return try corpusRequest(by: index) }
        let endpoint = generator.pick(Endpoint.all.filter { !Self.spared.contains($0) })
        var path = endpoint.template
        for parameter in endpoint.parameters {
            let kind = parameter == "id" ? String(path.split(separator: "/").dropFirst().first ?? "") : parameter
            path = path.replacing(
                "{\(parameter)}",
                with: PercentEncoding.encode(name(Self.kind(of: kind, in: path), by: index)),
                maxReplacements: 1
            )
        }
        var request = TransportRequest(endpoint.method.rawValue, path + query(by: index))
        if ![.get, .head].contains(endpoint.method) {
            _ = try attach(generator.pick(entries.compactMap(\.body)), to: &request, by: index)
        }
        return Step(request: request)
    }

    /// What a caller was told: watched ones never name what only others know.
    private func book(of index: Int) -> FuzzedNames { callers[index].isWatched ? told : names }

    mutating func name(_ kind: String, by index: Int) -> String { book(of: index).name(kind, &generator) }

    private mutating func corpusRequest(by index: Int) throws -> Step {
        let entry = generator.pick(entries)
        let path = entry.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("$") else { return String(segment) }
            let kind = Self.kind(of: String(segment.dropFirst()), in: entry.path)
            return PercentEncoding.encode(name(kind, by: index))
        }.joined(separator: "/")
        var step = Step(request: TransportRequest(entry.method, path + (entry.method == "GET" ? query(by: index) : "")))
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
            keys[kind].map { Data($0).base64EncodedString() } ?? name(kind, by: index)
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
            : try replica.push(
                of: book(of: index).identifiers(["asset", "album"]),
                others: others,
                at: time,
                &generator
            )
        callers[index].replica = replica
        var request = TransportRequest("POST", isContact ? "/v1/heartbeat" : "/v1/changes")
        request.fields = [("Content-Type", "application/json")]
        request.body = .bytes(Array(try JSONEncoder().encode(body)))
        return request
    }

    private mutating func query(by index: Int) -> String {
        guard generator.oneIn(4) else { return "" }
        let keys = [
            "limit", "cursor", "since", "wait", "ranges", "from", "until", "after", "unit", "filter", "sort", "size",
            "as",
            "strip", "device", "asset",
        ]
        let items = (0...generator.below(2)).map { _ in
            let values =
                FuzzedJSON.numbers + [
                    "1", "1", "100", "day", "month", "jpeg", "location", name("token", by: index),
                    name("asset", by: index),
                ]
            let value =
                generator.oneIn(4)
                ? generator.pick(FuzzedJSON.texts.filter { $0.utf8.count < 2000 }) : generator.pick(values)
            return "\(generator.pick(keys))=\(PercentEncoding.encode(value))"
        }
        return "?" + items.joined(separator: "&")
    }
}
