import Authorization
import DeviceIdentity
import Foundation
import HTTPTypes
import Hummingbird
import LibraryAPI
import LibraryStore
import NIOCore
import PhotoModel
import ServiceLifecycle

/// The change feed: pages of JSON lines, with long-polling, and the same as server-sent events.
struct ChangeRoutes {
    private static let standardPageCount = 200
    /// The shortest wait whose first look may be shared: a look for many takes a while.
    private static let sharingWait = Duration.seconds(5)

    let store: any ReadingStore
    let seal: ChangeTokenSeal
    /// How often an idle stream sends a keep-alive.
    private let streamInterval: Duration
    private let admission: StandingAdmission
    private let looks: ChangeLooks
    private let firstLooks: FirstLooks

    init(_ environment: ServerEnvironment, looks: ChangeLooks, seal: ChangeTokenSeal, admission: StandingAdmission) {
        let store = environment.store.metadata
        self.store = store
        self.looks = looks
        firstLooks = FirstLooks(
            alone: { try await store.changes(after: $0.position, limit: $0.limit, for: $0.viewer) },
            shared: { await store.sharedChanges($0) }
        )
        self.seal = seal
        streamInterval = environment.streamInterval
        self.admission = admission
    }

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.changes) { [self] call, admitted in
            let query = try call.query(as: ChangeQuery.self)
            let bounds = ChangeRange.Bounds(from: query.from, until: query.until)
            if query.ranges != nil || bounds != .init() {
                return try await compared(bounds, ranges: query.ranges, call, admitted)
            }
            let wait = query.wait ?? 0
            let place = try call.takePlace(wait > 0 ? .wait : .list)
            let start = try position(query.since, of: admitted.tokenBearer)
            let limit = query.limit ?? Self.standardPageCount
            let standing = StandingAdmission.Standing(call, admitted)
            let found = try await call.wait(seconds: wait, for: admitted) { patience in
                try await self.page(after: start, limit: limit, waiting: patience, for: standing)
            }
            return try response(found, for: admitted.tokenBearer).keeping(place)
        }
        try registry.on(.changeStream) { [self] call, admitted in
            let since = try call.query(as: ChangeStreamQuery.self).since ?? call.header("Last-Event-ID")
            let start = try position(since, of: admitted.tokenBearer)
            // The first page is fetched here, so that an expired token gets its error status.
            let first = try await store.changes(after: start, limit: Self.standardPageCount, for: admitted.viewer)
            let end = call.credential.certificate.map { $0.notAfter.duration(since: call.time) }
                .map { ContinuousClock.now.advanced(by: $0) }
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    let standing = StandingAdmission.Standing(call, admitted)
                    let connection = try await ConnectionEnd.of(call.channel)
                    try await self.stream(from: first, until: end, to: &writer, for: standing, over: connection)
                }
            )
        }
    }

    /// Part of the view as hashes, or in full, for a replica that looks for differences.
    private func compared(
        _ bounds: ChangeRange.Bounds,
        ranges: Int?,
        _ call: Call,
        _ admitted: AuthorizedCall
    ) async throws -> Response {
        let place = try call.takePlace(.wholeRead)
        defer { withExtendedLifetime(place) {} }
        guard let ranges else {
            let page = try await store.entities(bounds, for: admitted.viewer)
            return try response(page, for: admitted.tokenBearer).keeping(place)
        }
        return try .json(ChangeRangePage(ranges: try await store.ranges(bounds, count: ranges, for: admitted.viewer)))
    }

    private func response(_ page: ChangePage, for bearer: ChangeTokenSeal.Bearer) throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: ChangeLine.contentType],
            body: .init(byteBuffer: ByteBuffer(bytes: try lines(page, for: bearer)))
        )
    }

    private func page(
        after start: ChangePosition?,
        limit: Int,
        waiting: Duration,
        for standing: StandingAdmission.Standing
    ) async throws -> ChangePage {
        var standing = standing
        let viewer = standing.admitted.viewer
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: waiting)
        var page: ChangePage
        if let start, waiting >= Self.sharingWait, looks.takeFirstLook(at: start, for: viewer) {
            // Whoever has just been told something asks again from there, and shares even the first look.
            page = .empty(at: start)
        } else if start != nil, waiting >= Self.sharingWait {
            page = try await looks.firstLook(for: viewer) {
                try await firstLooks.page(ChangeLook(after: start, limit: limit, for: viewer))
            }
        } else {
            page = try await store.changes(after: start, limit: limit, for: viewer)
        }
        let rest = end - clock.now
        if page.changes.isEmpty, start != nil, rest > .zero {
            // Continue after this page, even if nothing in it was visible.
            page = try await looks.page(after: page.position, limit: limit, for: viewer, within: rest)
            try Task.checkCancellation()
        }
        try await admission.renew(&standing)
        return page
    }

    /// Keep-alives follow the clock only: one after each empty check would reveal changes outside a limited device's
    /// view.
    @concurrent private func stream(
        from first: ChangePage,
        until end: ContinuousClock.Instant?,
        to writer: inout any ResponseBodyWriter,
        for caller: StandingAdmission.Standing,
        over connection: ConnectionEnd
    ) async throws {
        var (page, standing) = (first, caller)
        let admitted = caller.admitted
        let viewer = admitted.viewer
        let clock = ContinuousClock()
        var nextSign = clock.now
        while true {
            if !page.changes.isEmpty {
                for change in page.changes {
                    let data = String(decoding: try Self.encode(.change(change)), as: UTF8.self)
                    try await writer.write(ByteBuffer(string: "event: change\ndata: \(data)\n\n"))
                }
                let token = try seal.token(of: page.position, for: admitted.tokenBearer).text
                try await writer.write(ByteBuffer(string: "id: \(token)\nevent: token\ndata: \(token)\n\n"))
                nextSign = clock.now.advanced(by: streamInterval)
            } else if clock.now >= nextSign {
                try await writer.write(ByteBuffer(string: ": nothing new\n\n"))
                nextSign = clock.now.advanced(by: streamInterval)
            }
            let nextLook = min(nextSign, end ?? nextSign)
            let (position, wait) = (page.position, max(nextLook - clock.now, .zero))
            page = try await connection.run { [looks] in
                let limit = Self.standardPageCount
                let page = try await looks.page(after: position, limit: limit, for: viewer, within: wait)
                try Task.checkCancellation()
                return page
            }
            // A certificate allows nothing after its expiry, including a stream opened before.
            if Task.isShuttingDownGracefully || end.map({ clock.now >= $0 }) ?? false {
                return try await writer.finish(nil)
            }
            // Check after reading the page, so that no page read more than a second after the rights ended is sent.
            do { try await admission.renew(&standing) } catch is ProblemDetails { return try await writer.finish(nil) }
        }
    }

    private func position(_ text: String?, of bearer: ChangeTokenSeal.Bearer) throws -> ChangePosition? {
        guard let text else { return nil }
        guard let position = seal.position(ChangeToken(text: text), for: bearer) else {
            throw ProblemDetails(.tokenExpired, "The feed cannot continue from this token: enumerate again.")
        }
        return position
    }

    private func lines(_ page: ChangePage, for bearer: ChangeTokenSeal.Bearer) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for change in page.changes { bytes += try Self.encode(.change(change)) + [0x0A] }
        let token = try seal.token(of: page.position, for: bearer)
        return bytes + (try Self.encode(.end(.init(token: token, hasMore: page.hasMore)))) + [0x0A]
    }

    private static func encode(_ line: ChangeLine) throws -> [UInt8] {
        Array(try JSONEncoder.sorted.encode(line))
    }
}

extension AuthorizedCall {
    /// Whose view of the changes is delivered.
    var viewer: ChangeViewer {
        guard let record else { return .everything(grantVersion: 0) }
        switch view {
        case .everything: return .everything(grantVersion: record.grantVersion)
        case .selection(let selection, let device):
            return .limited(device, selection, grantVersion: record.grantVersion)
        case .own(let device): return .limited(device, .init(), grantVersion: record.grantVersion)
        }
    }
}
