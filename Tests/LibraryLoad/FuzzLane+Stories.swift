import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import TestSupport

/// Requests that belong together, with the right bytes and digests: what only they reach.
extension FuzzLane {
    /// Lets each watched caller look at all that it may look at, and choose, before anything is muddled.
    mutating func walk() async throws {
        for index in callers.indices where callers[index].isWatched {
            for path in looks { _ = await send(TransportRequest("GET", path), by: index) }
            try await pick(by: index)
        }
        try await saveUpload()
        try await edit()
    }

    /// Saves a capture by uploads, in one part or two.
    mutating func saveUpload() async throws {
        let index = device()
        let capture = try capture(by: index)
        let path = "/v1/assets/\(capture.manifest.id)"
        guard let created: AssetCreationResponse = try await ask("POST", "/v1/assets", capture.manifest, by: index)
        else {
            return
        }
        for (upload, content) in zip(created.uploads, capture.contents) {
            try await append(content, to: upload.id, by: index)
        }
        let answer: CommitResponse? = try await ask("POST", "\(path)/commit", by: index)
        if answer != nil { keep([capture.manifest.id], by: index) }
    }

    /// Saves captures in one request.
    mutating func saveBatch() async throws {
        let index = device()
        let captures = try (0...generator.below(4)).map { _ in try capture(by: index) }
        let request = try FuzzedSaving.batch(of: captures)
        guard let answer: BatchResponse = try await ask(request, by: index) else { return }
        keep(answer.results.filter { $0.commit != nil }.map(\.assetID), by: index)
    }

    /// Edits a photo, mostly a hidden one.
    mutating func edit() async throws {
        let index = editor()
        let target = generator.oneIn(3) ? name("asset", by: index) : generator.pick(hidden.suffix(6)).description
        let contents = (0..<2).map { _ in
            SampleBytes(seed: generator.next(), byteCount: Int64(8 + generator.below(900)))
        }
        let kinds: [(AssetResourceType, String)] = [
            (.adjustmentData, "application/octet-stream"), (.fullSizePhoto, "image/jpeg"),
        ]
        let resources = try zip(contents, kinds).map { content, kind in
            AssetResource(
                id: .version7(unixMilliseconds: Int64(generator.below(1 << 40)), using: &generator),
                type: kind.0,
                digest: try content.digest(),
                byteCount: content.byteCount,
                contentType: kind.1
            )
        }
        if let id = AssetID(target), hidden.contains(id) {
            journal.secrets.hide(resources, of: "the edit of photo \(id)")
        }
        let adjustment = Adjustment(formatIdentifier: "org.example", formatVersion: "\(generator.below(3))")
        let edit = AdjustmentRequest(adjustment: adjustment, resources: resources)
        let path = "/v1/assets/\(PercentEncoding.encode(target))/adjustments"
        guard let plan: AdjustmentResponse = try await ask("POST", path, edit, by: index) else { return }
        for (resource, content) in zip(resources, contents) {
            guard let upload = plan.uploads.first(where: { $0.resourceID == resource.id }) else { continue }
            try await append(content, to: upload.id, by: index)
        }
        let applied: AdjustmentResponse? = try await ask("POST", path, edit, by: index)
        if applied?.asset != nil { journal.reach(.edits) }
    }

    /// Lets a person choose hidden photos for a caller, which fetches them.
    mutating func pick() async throws { try await pick(by: generator.oneIn(4) ? device() : watched()) }

    private mutating func pick(by index: Int) async throws {
        var wish = PickerRequest(purpose: "For the wall.")
        wish.selectionLimit = 2
        wish.isContinuous = generator.oneIn(2)
        wish.isOrdered = generator.oneIn(2)
        wish.encoding = generator.pick([nil, .automatic, .current, .compatible])
        wish.strip = generator.pick([nil, [], [], [.location], MetadataPart.allCases])
        guard let opened: PickerSession = try await ask("POST", "/v1/picker/sessions", wish, by: index),
            let secret = opened.pickURI?.split(separator: "#").last
        else { return }
        // Some stay open for whatever comes.
        if generator.oneIn(6) { return }
        let (own, person) = ("/v1/picker/sessions/\(opened.id)", "/v1/picks/\(opened.id)")
        let fields = [("Tintype-Pick-Secret", String(secret))]
        let chosen = Array(Set((0..<2).map { _ in generator.pick(hidden.suffix(6)) })).sorted()
        let shown: PickDocument? = try await ask("GET", person, by: 0, fields)
        if shown != nil { journal.accept("GET /v1/picks/$session") }
        let _: PickDocument? = try await ask("PUT", "\(person)/selection", PickChoice(assets: chosen), by: 0, fields)
        let _: PickDocument? = try await ask("POST", "\(person)/done", by: 0, fields)
        let _: PickerSession? = try await ask("GET", own, by: index)
        let page: PickedItemPage? = try await ask("GET", "\(own)/items", by: index)
        for item in page?.items ?? [] {
            var request = TransportRequest("GET", "\(own)/items/\(item.id)" + (generator.oneIn(4) ? "?part=movie" : ""))
            if generator.oneIn(2) { request.fields.append(("Accept", "image/jpeg")) }
            let answer = await send(request, by: index)
            if let answer, answer.status == 200, !answer.body.isEmpty { journal.reach(.picks) }
        }
        // Only so many sessions are open at once.
        if !generator.oneIn(8) { _ = await send(TransportRequest("DELETE", own), by: index) }
    }

    /// Lets a watched caller look wherever there is something to see.
    mutating func look() async {
        let index = watched()
        for _ in 0..<3 { _ = await send(TransportRequest("GET", generator.pick(looks)), by: index) }
    }

    // MARK: Who

    private mutating func device() -> Int { caller { $0.role != nil } }

    private mutating func watched() -> Int { caller(where: \.isWatched) }

    /// The operator, or a device that may edit until somebody decides otherwise.
    private mutating func editor() -> Int { caller { $0.name == "operator" || $0.role == .all } }

    private mutating func caller(where isWanted: (FuzzCaller) -> Bool) -> Int {
        generator.pick(callers.indices.filter { isWanted(callers[$0]) })
    }

    // MARK: What

    /// A capture; other callers' are hidden from the watched ones.
    private mutating func capture(by index: Int) throws -> SampleCapture {
        let sizes = (0...generator.below(2)).map { _ in Int64(8 + generator.below(3000)) }
        let capture = try SampleCapture(sizes: sizes, &generator)
        guard !callers[index].isWatched else { return capture }
        let id = capture.manifest.id
        journal.secrets.hide(id, "photo")
        journal.secrets.hide(capture.manifest.resources, of: "photo \(id)")
        return capture
    }

    private mutating func keep(_ committed: [AssetID], by index: Int) {
        journal.reach(.commits, committed.count)
        if !callers[index].isWatched { hidden = (hidden + committed).suffix(40) }
    }

    private mutating func append(_ content: SampleBytes, to upload: UploadID, by index: Int) async throws {
        var offset: Int64 = 0
        repeat {
            let isWhole = offset > 0 || !generator.oneIn(3)
            let count = isWhole ? content.byteCount - offset : content.byteCount / 2
            let headers = UploadHeaders(
                offset: offset,
                isComplete: isWhole,
                contentDigest: generator.oneIn(2) ? try content.digest(from: offset, count: count) : nil
            )
            var request = TransportRequest("PATCH", "/v1/uploads/\(upload)")
            request.fields = headers.fields + [("Content-Type", UploadHeaders.partialUpload)]
            request.body = .bytes(content.read(offset, Int(count)))
            _ = await send(request, by: index)
            offset += count
        } while offset < content.byteCount
    }

    // MARK: Asking

    /// Sends JSON and decodes the answer; nil for a refusal.
    private mutating func ask<Answer: Decodable>(
        _ method: String,
        _ path: String,
        _ body: (any Encodable)? = nil,
        by index: Int,
        _ fields: [(name: String, value: String)] = []
    ) async throws -> Answer? {
        var request = TransportRequest(method, path, fields: fields)
        if let body {
            request.fields.append(("Content-Type", "application/json"))
            request.body = .bytes(Array(try JSONEncoder().encode(body)))
        }
        return try await ask(request, by: index)
    }

    private mutating func ask<Answer: Decodable>(
        _ request: TransportRequest,
        by index: Int
    ) async throws -> Answer? {
        guard let answer = await send(request, by: index), answer.status < 300 else { return nil }
        return try? JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }
}
