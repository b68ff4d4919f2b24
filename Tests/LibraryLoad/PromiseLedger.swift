import LibraryAPI
package import PhotoModel
import Synchronization

/// What devices meant to save and what they were promised, from which the library can be held to its word.
package final class PromiseLedger: Sendable {
    /// The places of a save at which a server can be killed.
    package enum Stage: String, CaseIterable, Sendable {
        /// A manifest is about to be sent.
        case describing
        /// Bytes of an upload are about to be sent.
        case appending
        /// An offset was promised.
        case appended
        /// A commit is about to be asked for.
        case committing
        /// A receipt came.
        case committed
        /// A batch is about to be sent.
        case batching
        /// A batch was answered.
        case batched
    }

    /// Bytes that the library promised to hold.
    package struct Offset: Sendable {
        /// How many.
        package var byteCount: Int64
        /// The asset that they belong to.
        package let asset: AssetID
        /// The device, by its place among those that take part.
        package let device: Int
    }

    private struct State {
        var captures: [AssetID: SampleCapture] = [:]
        var receipts: [AssetID: SignedReceipt] = [:]
        var fresh: [AssetID] = []
        var offsets: [UploadID: Offset] = [:]
        var violations: [String] = []
        /// The last two saves of each device.
        var advances: [Int: [ContinuousClock.Instant]] = [:]
    }

    private let state = Mutex(State())
    private let continuation: Mutex<AsyncStream<Stage>.Continuation?> = Mutex(nil)

    /// A ledger without an entry.
    package init() {}

    /// The stages that are passed from now on; a later call ends an earlier one's.
    package func stages() -> AsyncStream<Stage> {
        let (stream, new) = AsyncStream.makeStream(of: Stage.self)
        let old = continuation.withLock { continuation in
            defer { continuation = new }
            return continuation
        }
        old?.finish()
        return stream
    }

    /// Ends the stream of stages.
    package func endStages() {
        continuation.withLock { $0 }?.finish()
    }

    func pass(_ stage: Stage) {
        _ = continuation.withLock { $0 }?.yield(stage)
    }

    func describe(_ capture: SampleCapture) {
        state.withLock { $0.captures[capture.manifest.id] = capture }
    }

    /// Takes an offset that the library told, and holds it against the one it told before.
    func keep(_ byteCount: Int64, of upload: UploadID, asset: AssetID, device: Int) {
        state.withLock { state in
            if let known = state.offsets[upload], known.byteCount > byteCount {
                state.violations.append("upload \(upload) went back from \(known.byteCount) to \(byteCount)")
            }
            state.offsets[upload] = Offset(byteCount: byteCount, asset: asset, device: device)
        }
    }

    /// Takes a receipt, and holds it against what was sent and against the one that was given before.
    func keep(_ receipt: SignedReceipt, of capture: SampleCapture) {
        state.withLock { state in
            let id = capture.manifest.id
            if !receipt.receipt.covers(id, resources: capture.manifest.resources) {
                state.violations.append("the receipt of \(id) does not name all of it")
            }
            if let known = state.receipts[id], known != receipt {
                state.violations.append("asset \(id) has two receipts")
            }
            if state.receipts.updateValue(receipt, forKey: id) == nil { state.fresh.append(id) }
            state.offsets = state.offsets.filter { $0.value.asset != id }
        }
    }

    /// Takes down that a device has saved something.
    func advance(_ device: Int) {
        state.withLock { $0.advances[device] = ($0.advances[device] ?? []).suffix(1) + [.now] }
    }

    /// Whether each of the first devices, so many, has saved something since then.
    func haveAdvanced(_ devices: Int, since moment: ContinuousClock.Instant) -> Bool {
        state.withLock { state in (0..<devices).allSatisfy { (state.advances[$0]?.last ?? moment) > moment } }
    }

    /// Whether a device has saved something that it began after that moment.
    func hasAdvancedTwice(since moment: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.advances.values.contains { $0.count { $0 > moment } > 1 } }
    }

    func report(_ violation: String) {
        state.withLock { $0.violations.append(violation) }
    }

    /// Everything that was not as promised.
    package var violations: [String] { state.withLock(\.violations) }

    /// How many receipts there are.
    package var receiptCount: Int { state.withLock(\.receipts.count) }

    var receipts: [AssetID: SignedReceipt] { state.withLock(\.receipts) }
    var offsets: [UploadID: Offset] { state.withLock(\.offsets) }

    func capture(_ id: AssetID) -> SampleCapture? { state.withLock { $0.captures[id] } }

    /// The assets that were receipted since this was asked last.
    func takeFresh() -> [AssetID] {
        state.withLock { state in
            defer { state.fresh = [] }
            return state.fresh
        }
    }
}
