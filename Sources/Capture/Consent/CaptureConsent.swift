import Synchronization

/// A person's decision about one device on this box; the four values of AVFoundation's authorization status.
package enum ConsentStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nobody has been asked yet.
    case notDetermined
    /// Policy forbids it; asking is pointless.
    case restricted
    /// A person said no.
    case denied
    /// A person said yes.
    case authorized
}

/// The subject of a decision: one kind of use of one device.
package struct ConsentSubject: Hashable, Sendable, Codable {
    /// Pictures or sound.
    package let capability: CaptureDevice.Capability
    /// The device.
    package let deviceID: CaptureDevice.ID

    package init(capability: CaptureDevice.Capability, deviceID: CaptureDevice.ID) {
        self.capability = capability
        self.deviceID = deviceID
    }
}

/// Proof that a device may be used, required to open it in a session; only ``Consents`` creates it.
///
/// It ends at once for all holders when the decision is withdrawn.
package final class CaptureConsent: Sendable {
    /// The permitted use.
    package let subject: ConsentSubject
    private let withdrawn = Atomic<Bool>(false)
    private let state = Mutex(Waiters())

    private struct Waiters {
        var lastID = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    init(_ subject: ConsentSubject) {
        self.subject = subject
    }

    /// Whether the decision has been withdrawn.
    package var isWithdrawn: Bool { withdrawn.load(ordering: .acquiring) }

    /// Waits until the decision is withdrawn or the task is cancelled; check ``isWithdrawn`` to tell which.
    package func waitUntilWithdrawn() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state -> Int? in
            guard !isWithdrawn else { return nil }
            state.lastID += 1
            state.waiting[state.lastID] = continuation
            return state.lastID
        }
        guard let id else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: id) }
    }

    func withdraw() {
        let waiting = state.withLock { state in
            withdrawn.store(true, ordering: .releasing)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }
}
