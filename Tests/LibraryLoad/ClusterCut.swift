import LibraryAPI
import LibraryClient
import Synchronization
import TestSupport

/// A server that is cut off from its database or from the store: nothing may be written by it.
///
/// It is asked to write all the time. What it has not answered when it is whole again may have been done then.
final class ClusterCut: Sendable {
    private let server: ClusterServer
    private let side: ClusterLinks.Side
    private let device: LoadDevice
    private let ledger: PromiseLedger
    private let isAlone: Bool
    private let state = Mutex((isOver: false, refusals: 0))

    /// Describes a cut, which begins now.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - side: what it is cut off from.
    ///   - device: a device that is connected to this server.
    ///   - ledger: told of what is written, and of violations.
    ///   - isAlone: whether nothing else fails, so that the server's answers can be judged.
    init(
        _ server: ClusterServer,
        from side: ClusterLinks.Side,
        _ device: LoadDevice,
        _ ledger: PromiseLedger,
        isAlone: Bool
    ) {
        self.server = server
        self.side = side
        self.device = device
        self.ledger = ledger
        self.isAlone = isAlone
    }

    /// Ends it, just before the server is whole again.
    func end() { state.withLock { $0.isOver = true } }

    /// How often the server did not write, as it must not.
    var refusalCount: Int { state.withLock(\.refusals) }

    private var isOver: Bool { state.withLock(\.isOver) || Task.isCancelled }

    /// Asks for writes until it is over: an operator's change, where that needs what is cut off, a batch and an upload.
    func tryWriting(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let uploaded = try SampleCapture(sizes: [20_000], &generator)
        ledger.describe(uploaded)
        while !isOver {
            let batched = try SampleCapture(sizes: [10_000], &generator)
            ledger.describe(batched)
            if side == .database {
                await attempt("an operator's change") {
                    _ = try await server.operators().call(
                        .adminCreateEnrollmentToken,
                        body: EnrollmentTokenRequest(maximum: "readWrite"),
                        as: EnrollmentTokenResponse.self
                    )
                }
            }
            await attempt("a batch") { try await send(batched) }
            await attempt("an upload") { try await upload(uploaded) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Asks for lists and changes until it is over, which need no store.
    func readRows() async {
        while side == .store, !isOver {
            do {
                try await device.readRows()
            } catch  where isAlone {
                ledger.report("\(server.name) does not list anything without the store: \(error)")
            } catch {
                // A fault of another kind.
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Tries to write: it must get 503 and `Retry-After`, or no answer.
    private func attempt(_ write: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            if !isOver { ledger.report("\(server.name), cut off from its \(side), did \(write)") }
        } catch {
            state.withLock { $0.refusals += $0.isOver ? 0 : 1 }
            guard !isOver, isAlone, !Self.isUnavailable(error) else { return }
            ledger.report("\(server.name), cut off from its \(side), did not answer \(write) with 503: \(error)")
        }
    }

    private static func isUnavailable(_ error: any Error) -> Bool {
        guard let error = error as? LibraryClientError else { return error is TransportError }
        guard let problem = error.problem else { return error.code != .malformedAnswer }
        return problem.status == 503 && problem.retryAfterSeconds != nil
    }

    private func send(_ capture: SampleCapture) async throws {
        let result = try await device.client.batch([capture.batchItem]).results.first
        guard let receipt = result?.commit?.receipt else {
            throw result?.problem.map(LibraryClientError.init) ?? LoadError("a batch was answered with nothing")
        }
        ledger.keep(receipt, of: capture)
    }

    /// Describes an asset, which without the store is possible, and sends its bytes, which is not.
    private func upload(_ capture: SampleCapture) async throws {
        let created = try await device.client.createAsset(capture.manifest)
        guard side == .store else { return }
        for (status, content) in zip(created.uploads, capture.contents) where !status.isComplete {
            _ = try await device.client.append(
                to: status.id,
                at: status.offset,
                content.source(from: status.offset),
                isLast: true,
                digest: content.digest(from: status.offset)
            )
        }
    }
}
