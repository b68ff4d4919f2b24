/// The consent for one camera or microphone of a box, as reported by the box; only people at the box can give it.
package struct DeviceConsent: Hashable, Sendable, Codable {
    /// `camera` or `microphone`.
    package var capability: String
    /// The device, as the box names it.
    package var device: String
    /// `authorized`, `denied`, `restricted` or `notDetermined`.
    package var status: String

    package init(capability: String, device: String, status: String) {
        self.capability = capability
        self.device = device
        self.status = status
    }

    /// Whether its texts are within the limits for storing and showing it.
    package var isWithinLimits: Bool {
        [capability, status].allSatisfy { 1...APILimits.consentWordByteCount ~= $0.utf8.count }
            && 1...APILimits.consentDeviceByteCount ~= device.utf8.count
    }
}

/// An administrator's withdrawal of a consent, pending until the box applies it.
package struct ConsentWithdrawal: Hashable, Sendable, Codable {
    /// Larger than every earlier withdrawal's; at its next contact the box reports the last one it has applied.
    package var number: UInt64
    /// `camera` or `microphone`.
    package var capability: String
    /// The device, as the box names it.
    package var device: String

    package init(number: UInt64, capability: String, device: String) {
        self.number = number
        self.capability = capability
        self.device = device
    }
}

/// Withdraws consents given at a box; no request can give one.
package struct ConsentWithdrawalRequest: Hashable, Sendable, Codable, ReasonedRequest {
    /// `camera` or `microphone`; nil for both.
    package var capability: String?
    /// One device, as the box names it; nil for all.
    package var device: String?
    /// Why, for the audit.
    package var reason: String?

    package init(capability: String? = nil, device: String? = nil, reason: String? = nil) {
        self.capability = capability
        self.device = device
        self.reason = reason
    }
}
