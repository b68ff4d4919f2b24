/// The state of a device.
///
/// A revoked device never returns: its box enrols again as a new device. A suspect device that is to be retired drains
/// once it is resolved (`DecisionRecord.isToBeRetired`).
///
/// ```
/// pending ──approved──► active ──drainRequested──► draining ──drained──► revoked
///    ▲                   │ ▲ ◄──drainCancelled──────┘ │
///    └──graceExpired─────┘ └──resolved── suspect ◄────┘ forkDetected (also from active)
/// ```
package enum DeviceState: Hashable, Sendable, Codable {
    /// Enrolled but not approved, or away for longer than the grace period.
    case pending
    /// In normal use.
    case active
    /// Delivers what it announced, then is revoked.
    case draining
    /// Two copies were detected: uploads are quarantined, reads stop.
    case suspect
    /// Ended; with `wipe`, it is told to erase its queue and key.
    case revoked(wipe: Bool)
}

/// An event that changes a device's state.
package enum DeviceEvent: Hashable, Sendable {
    /// An administrator approved it, or it presented an administrator's enrolment token.
    case approved
    /// An administrator retires it.
    case drainRequested
    /// An administrator cancelled the retirement.
    case drainCancelled
    /// An administrator chose which of two copies continues.
    case resolved
    /// An administrator ended it.
    case revoked(wipe: Bool)
    /// The device delivered everything it had announced.
    case drained
    /// The device's continuity tickets show two copies of it.
    case forkDetected
    /// The device came back after `offlineGrace`; its decisions are kept.
    case graceExpired
    /// The device renewed its certificate or changed its key.
    case keyChanged
    /// The device erased its queue and key.
    case wipeConfirmed

    /// Who can cause an event.
    package enum Origin: Hashable, Sendable {
        /// Only an administrator.
        case administrator
        /// The device itself.
        case device
    }

    /// Who can cause it.
    package var origin: Origin {
        switch self {
        case .approved, .drainRequested, .drainCancelled, .resolved, .revoked: .administrator
        case .drained, .forkDetected, .graceExpired, .keyChanged, .wipeConfirmed: .device
        }
    }
}

extension DeviceState {
    /// The state after an event; unchanged if the event does not apply.
    package func after(_ event: DeviceEvent) -> DeviceState {
        switch (self, event) {
        case (.revoked(let wipe), .revoked(let wipeToo)): .revoked(wipe: wipe || wipeToo)
        case (.revoked, _): self
        case (_, .revoked(let wipe)): .revoked(wipe: wipe)
        case (.pending, .approved): .active
        case (.active, .drainRequested): .draining
        case (.draining, .drainCancelled): .active
        case (.draining, .drained): .revoked(wipe: false)
        case (.active, .forkDetected), (.draining, .forkDetected): .suspect
        case (.suspect, .resolved): .active
        case (.active, .graceExpired): .pending
        case (.pending, _), (.active, _), (.draining, _), (.suspect, _): self
        }
    }
}
