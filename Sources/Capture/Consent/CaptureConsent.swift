import Synchronization

/// What a person has decided about one device on this box; the four values of AVFoundation's authorization status.
package enum ConsentStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nobody has been asked yet.
    case notDetermined
    /// Policy forbids it; asking is no use.
    case restricted
    /// A person said no.
    case denied
    /// A person said yes.
    case authorized
}

/// What a decision is about: one kind of use of one device.
package struct ConsentSubject: Hashable, Sendable, Codable {
    /// Pictures or sound.
    package let capability: CaptureDevice.Capability
    /// The device.
    package let deviceID: CaptureDevice.ID

    /// Names a use of a device.
    package init(capability: CaptureDevice.Capability, deviceID: CaptureDevice.ID) {
        self.capability = capability
        self.deviceID = deviceID
    }
}

/// The proof that a device may be used, without which no session can open it; only ``Consents`` makes one.
///
/// It ends at once when the decision is taken back, for all who hold it.
package final class CaptureConsent: Sendable {
    /// What may be used.
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

    /// Whether the decision has been taken back.
    package var isWithdrawn: Bool { withdrawn.load(ordering: .acquiring) }

    /// Waits until the decision is taken back, or the task is cancelled; look at ``isWithdrawn`` to know which.
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
