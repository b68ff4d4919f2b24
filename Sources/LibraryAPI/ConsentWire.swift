/// What holds for one camera or microphone of a box, as the box says; people decide it there, and nowhere else.
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

    /// Whether it may be kept and shown: its texts are short.
    package var isWithinLimits: Bool {
        [capability, status].allSatisfy { 1...APILimits.consentWordByteCount ~= $0.utf8.count }
            && 1...APILimits.consentDeviceByteCount ~= device.utf8.count
    }
}

/// An administrator's withdrawal, on its way to the box.
package struct ConsentWithdrawal: Hashable, Sendable, Codable {
    /// Larger than those of all withdrawals before it; the box says at its next contact up to which it has followed.
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

/// Withdraws what a person at a box allowed; there is no request that grants it.
package struct ConsentWithdrawalRequest: Hashable, Sendable, Codable {
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
