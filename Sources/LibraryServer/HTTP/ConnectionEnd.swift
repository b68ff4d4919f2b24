import LibraryAPI
import NIOCore
import Synchronization

/// Notes when a peer closes its connection, or its side of it, and ends what waits there.
///
/// Nothing else would tell: a request that waits neither reads nor writes.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State {
        var hasCome = false
        var next: UInt64 = 0
        var waiting: [UInt64: @Sendable () -> Void] = [:]
    }

    /// Nobody reads it.
    static let closed = ProblemDetails(.tooSlow, "The connection was closed while the request waited.")

    private let state = Mutex(State())

    /// The one of a connection.
    ///
    /// - Throws: `request.too_slow` if the connection is closed.
    static func of(_ channel: any Channel) async throws -> ConnectionEnd {
        do {
            return try await channel.pipeline.handler(type: ConnectionEnd.self).get()
        } catch {
            throw closed
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Runs something that waits; it is cancelled when the peer closes.
    ///
    /// - Throws: `request.too_slow` after that; what `body` throws.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        let number = begin { task.cancel() }
        defer { forget(number) }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where state.withLock({ $0.hasCome }) {
            throw Self.closed
        }
    }

    /// Has something called at the end, which may have come.
    private func begin(_ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, hasCome) = state.withLock { state -> (UInt64, Bool) in
            state.next += 1
            if !state.hasCome { state.waiting[state.next] = cancel }
            return (state.next, state.hasCome)
        }
        if hasCome { cancel() }
        return number
    }

    private func forget(_ number: UInt64) {
        state.withLock { state in state.waiting[number] = nil }
    }

    private func end() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.hasCome = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for cancel in waiting { cancel() }
    }
}
