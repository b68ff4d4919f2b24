import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import Synchronization
import TestSupport

/// One of several that speak to a library beside each other: it has callers, names and a generator of its own.
struct FuzzLane: Sendable {
    let number: Int
    let server: ServerProgram
    let entries: [FuzzEntry]
    let journal: FuzzJournal
    /// Decides the current step; begun anew for each, so that no answer moves the steps after it.
    var generator: SeededGenerator
    private var steps: SeededGenerator
    private var requestCount = 0

    /// The operator, nobody, and a device of each role.
    var callers: [FuzzCaller] = []
    /// What the callers were told that are not watched.
    var names = FuzzedNames()
    /// What the watched ones were told.
    var told = FuzzedNames()
    /// Photos of the owner's, which no watched caller may see; the newest last.
    var hidden: [AssetID] = []
    /// What a watched caller may look at.
    var looks: [String] = []

    init(
        _ number: Int,
        at server: ServerProgram,
        _ entries: [FuzzEntry],
        seed: UInt64,
        _ journal: FuzzJournal
    ) {
        self.number = number
        self.server = server
        self.entries = entries
        self.journal = journal
        steps = SeededGenerator(seed: seed)
        generator = SeededGenerator(seed: steps.next())
    }

    // MARK: Callers

    /// Enrols the callers and saves what they may and may not see.
    mutating func prepare() async throws {
        callers = [
            FuzzCaller(name: "operator", client: try server.operators()),
            FuzzCaller(name: "nobody", client: try server.client()),
        ]
        var limited: DeviceID?
        for role in FuzzCaller.Role.allCases {
            let (caller, device) = try await FuzzCaller.enroll(as: role, at: server, &generator)
            callers.append(caller)
            // Whoever knows its name may change what it may see.
            if role.isWatched { journal.secrets.seal(device.id.description) }
            if role == .limited { limited = device.id }
            if !role.isWatched { names.learn("device", device.id.description) }
        }
        guard let limited, let owner = callers.first(where: { $0.role == .all }) else {
            throw LoadError("a role has no device")
        }
        try await save(as: owner, showing: limited)
    }

    /// Saves photos that the limited device sees, may name, and may not even name, and two albums of which it sees one.
    private mutating func save(as owner: FuzzCaller, showing device: DeviceID) async throws {
        let secrets = journal.secrets
        let captures = try (0..<6).map { _ in try SampleCapture(sizes: [Int64(64 + generator.below(2000))], &generator)
        }
        let saved = try await owner.client.batch(captures.map { try $0.batchItem })
        guard saved.results.allSatisfy({ $0.commit != nil }) else { throw LoadError("a photo was refused: \(saved)") }
        let ids = captures.map(\.manifest.id)
        let (shown, covered) = (ids[0], ids[1])
        hidden = Array(ids[2...])
        for capture in captures[1...] {
            let id = capture.manifest.id
            secrets.hide(capture.manifest.resources, of: "photo \(id)")
            // Those that watched callers may name are no secrets.
            if hidden.prefix(2).contains(id) {
                told.learn("asset", id.description)
                looks.append("/v1/assets/\(id)")
            } else {
                secrets.hide(id, "photo")
            }
        }
        for id in hidden + [shown] { names.learn("asset", id.description) }
        told.learn("asset", shown.description)

        let granted = try await album("Granted", of: [shown, covered], by: owner)
        let elsewhere = try await album("Elsewhere", of: [shown, hidden[3]], by: owner)
        secrets.hide(elsewhere, "album")
        // What is hidden is in nobody's view, whatever album it is in.
        secrets.seal(covered.description)
        try await owner.client.ask("PATCH", "/v1/assets/\(covered)", "{\"isHidden\":true}")
        try await callers[0].client.ask(
            "PUT",
            "/v1/admin/selections/\(device)",
            "{\"assets\":[\"\(shown)\"],\"rules\":[],\"grantedAlbums\":[\"\(granted)\"]}"
        )
        told.learn("album", granted.description)
        looks += [
            "/v1/assets", "/v1/assets/\(shown)", "/v1/assets/\(shown)/superseded", "/v1/assets/\(shown)/facts",
            "/v1/albums", "/v1/albums/\(granted)/assets", "/v1/changes", "/v1/changes?ranges=16", "/v1/changes/stream",
            "/v1/timeline", "/v1/places", "/v1/selection", "/v1/authorization", "/v1/receipts", "/v1/identity/state",
        ]
    }

    /// Makes an album that nobody learns of by chance.
    private func album(_ title: String, of assets: [AssetID], by owner: FuzzCaller) async throws -> AlbumID {
        let album: Album = try await owner.client.call(.createAlbum, body: AlbumEdit(title: title))
        journal.secrets.seal(album.id.description)
        let list = assets.map { "\"\($0)\"" }.joined(separator: ",")
        try await owner.client.ask("POST", "/v1/albums/\(album.id)/assets", "{\"assets\":[\(list)]}")
        return album.id
    }

    // MARK: Steps

    /// Makes requests until their number is reached, or the run is over.
    mutating func run(count: Int) async throws {
        generator = SeededGenerator(seed: steps.next())
        try await walk()
        while requestCount < count, !journal.isOver {
            generator = SeededGenerator(seed: steps.next())
            switch generator.below(48) {
            case 0...2: try await saveUpload()
            case 3...4: try await saveBatch()
            case 5...6: try await edit()
            case 7...9: try await pick()
            case 10...12: await look()
            default: try await single()
            }
        }
    }

    private mutating func single() async throws {
        var index = generator.below(callers.count)
        var step = try request(by: index)
        // Only operators get further there; what watched callers name is kept from them.
        let isTheirs = ["/v1/picks/", "/v1/admin/"].contains(where: step.request.target.hasPrefix)
        if isTheirs, !callers[index].isWatched, !generator.oneIn(3) { index = 0 }
        if let secret = names.secret(for: step.request.target, &generator) {
            step.request.fields.append(("Tintype-Pick-Secret", secret))
        }
        let answer = await send(step.request, by: index)
        if let answer, answer.status < 400, let entry = step.entry { journal.accept(entry) }
    }

    /// Sends a request, now and then twice at once, and judges the answers.
    ///
    /// - Returns: the first answer; nil for none, and once the run is over.
    mutating func send(_ request: TransportRequest, by index: Int) async -> TransportResponse? {
        guard !journal.isOver else { return nil }
        var request = request
        let caller = callers[index]
        request.answerByteLimit = 16 << 20
        // A stream has no end of its own.
        let isStream = request.target.contains("stream")
        request.timeout = isStream ? .milliseconds(300) : .seconds(30)
        let heard = FuzzedStream()
        if isStream { request.sink = { heard.append($0) } }
        journal.begin(line(of: request, by: caller))
        var answers: [Result<TransportResponse, TransportError>] = []
        if generator.oneIn(12), !isStream {
            journal.begin(line(of: request, by: caller) + " (at the same time)")
            async let twin = Self.answer(to: request, by: caller)
            answers = [await Self.answer(to: request, by: caller), await twin]
        } else {
            answers = [await Self.answer(to: request, by: caller)]
        }
        if caller.isWatched, let leak = journal.secrets.leak(in: heard.bytes) {
            violate("\(caller.name) heard \(leak)")
        }
        requestCount += answers.count
        for answer in answers { await judge(answer, to: request, by: index) }
        return try? answers[0].get()
    }

    private static func answer(
        to request: TransportRequest,
        by caller: FuzzCaller
    ) async -> Result<TransportResponse, TransportError> {
        do {
            return .success(try await caller.client.transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    private mutating func judge(
        _ result: Result<TransportResponse, TransportError>,
        to request: TransportRequest,
        by index: Int
    ) async {
        let caller = callers[index]
        switch result {
        case .success(let answer):
            journal.count(answer.status)
            if answer.status >= 500, ![503, 507].contains(answer.status) { violate("answered with \(answer.status)") }
            if caller.isWatched, let leak = journal.secrets.leak(in: answer) {
                violate("\(request.method) \(request.target) told \(caller.name) of \(leak)")
            }
            learn(from: answer, to: request.target, by: index)
            if answer.status == 401 { await enrollAgain(index) }
        case .failure(let error):
            journal.count(0)
            if !(await server.isAlive) { violate("the server has ended: \(error)") }
        }
    }

    /// Replaces a device whose rights have ended; operators leave watched ones alone.
    private mutating func enrollAgain(_ index: Int) async {
        guard let role = callers[index].role, !role.isWatched,
            // Another lane's operator may have ended this one's rights at once.
            let (caller, device) = try? await FuzzCaller.enroll(as: role, at: server, &generator)
        else { return }
        callers[index] = caller
        names.learn("device", device.id.description)
    }

    private func violate(_ what: String) { journal.violate("lane \(number): \(what)", server.errors) }

    private func line(of request: TransportRequest, by caller: FuzzCaller) -> String {
        let line = "\(number) \(caller.name): \(request.method) \(request.target)"
        guard case .bytes(let bytes) = request.body else { return line }
        return line + " " + (String(validating: bytes.prefix(2000), as: UTF8.self) ?? "(\(bytes.count) bytes)")
    }
}

/// What a stream sent until it was given up.
private final class FuzzedStream: Sendable {
    private let state = Mutex<[UInt8]>([])

    var bytes: [UInt8] { state.withLock(\.self) }

    func append(_ bytes: [UInt8]) { state.withLock { $0 += bytes } }
}

extension ServerProgram {
    /// Whether it answers.
    var isAlive: Bool {
        get async {
            let answer = try? await operators().transport.send(TransportRequest("GET", "/healthz"))
            return answer?.status == 200
        }
    }
}
