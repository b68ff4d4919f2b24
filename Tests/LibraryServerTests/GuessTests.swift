import Dispatch
import LibraryStore
import Persistence
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Wrong passwords, many at once.
struct GuessTests {
    /// Logins at a server, whose passwords are compared in this pool.
    private func logins(at server: RunningServer, _ blocking: BlockingPool) -> WebLogins {
        let (store, now) = (server.environment.store.metadata, server.environment.now)
        let passwords = Passwords(store: store, blocking: blocking, now: now)
        return WebLogins(store: store, passwords: passwords, active: ActiveRequests(), now: now)
    }

    /// The code that a wrong password is refused with.
    private func refusal(of name: String, from address: String, by logins: WebLogins) async -> ErrorCode? {
        do {
            let request = WebLoginRequest(name: name, password: "wrong horse battery")
            _ = try await logins.logIn(request, userAgent: nil, AuditContext(address: address))
            return nil
        } catch {
            return ProblemDetails(answering: error).code
        }
    }

    @Test("T55: forty wrong passwords at once, from many addresses, are compared as few times as one after the other")
    func parallel() async throws {
        try await RunningServer.run { server in
            let logins = logins(at: server, BlockingPool(width: 1))
            let refusals = await withTaskGroup(of: ErrorCode?.self) { group in
                for number in 0..<40 {
                    group.addTask { await refusal(of: "ana", from: "192.0.2.\(number)", by: logins) }
                }
                return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
            }
            #expect(refusals.count { $0 == .identityMissing } == Passwords.maximumFailureCount, "\(refusals)")
            #expect(refusals.count { $0 == .slowDown } == 40 - Passwords.maximumFailureCount, "\(refusals)")
        }
    }

    @Test("T169: one password per address is compared at a time, so that others get their turn")
    func ofOneAddress() async throws {
        try await RunningServer.run { server in
            let blocking = BlockingPool(width: 1, maximumWaiting: 2)
            let logins = logins(at: server, blocking)
            let gate = DispatchSemaphore(value: 0)
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            async let held: Void = blocking.run {
                continuation.finish()
                gate.wait()
            }
            for await _ in begun {}
            try await withThrowingTaskGroup(of: ErrorCode?.self) { group in
                defer { gate.signal() }
                for name in ["ana", "ben", "cleo"] {
                    group.addTask { await refusal(of: name, from: "192.0.2.1", by: logins) }
                }
                for _ in 0..<2 {
                    let code: ErrorCode? = try await group.next() ?? nil
                    try #require(code == .slowDown)
                }
                group.addTask { await refusal(of: "ana", from: "198.51.100.1", by: logins) }
                gate.signal()
                for try await code in group { #expect(code == .identityMissing) }
            }
            try await held
        }
    }
}
