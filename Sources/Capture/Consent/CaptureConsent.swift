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
    private let withdrawal = Latch()

    init(_ subject: ConsentSubject) {
        self.subject = subject
    }

    /// Whether the decision has been withdrawn.
    package var isWithdrawn: Bool { withdrawal.isOpen }

    /// Waits until the decision is withdrawn or the task is cancelled; check ``isWithdrawn`` to tell which.
    package func waitUntilWithdrawn() async { await withdrawal.wait() }

    func withdraw() { withdrawal.open() }
}
