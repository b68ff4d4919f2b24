/// Where a device stands in its life.
///
/// A revoked device never comes back: its box enrols again as a new one.
///
/// ```
/// pending ──approved──► active ──drainRequested──► draining ──drained──► revoked
///    ▲                   │ ▲ ◄──drainCancelled──────┘ │
///    └──graceExpired─────┘ └──resolved── suspect ◄────┘ forkDetected (also from active)
/// ```
package enum DeviceState: Hashable, Sendable, Codable {
    /// Enrolled, not approved yet, or away for longer than the grace.
    case pending
    /// At work.
    case active
    /// Delivers what it announced, then ends.
    case draining
    /// Two copies of it were seen: uploads go to quarantine, reads stop.
    case suspect
    /// Ended; with `wipe`, it is told to erase its queue and key.
    case revoked(wipe: Bool)
}

/// What changes a device's state.
package enum DeviceEvent: Hashable, Sendable {
    /// An administrator accepted it, or it showed a token that an administrator made.
    case approved
    /// An administrator wants it to deliver and end.
    case drainRequested
    /// An administrator changed their mind.
    case drainCancelled
    /// An administrator said which of two copies goes on.
    case resolved
    /// An administrator ended it.
    case revoked(wipe: Bool)
    /// The device delivered all it had announced.
    case drained
    /// The device's continuity tickets show two copies of it.
    case forkDetected
    /// The device came back after `offlineGrace`; its decisions are kept.
    case graceExpired
    /// The device renewed its certificate or changed its key.
    case keyChanged
    /// The device erased its queue and key.
    case wipeConfirmed

    /// Who can bring an event about.
    package enum Origin: Hashable, Sendable {
        /// Only an administrator.
        case administrator
        /// The device, by what it does or shows.
        case device
    }

    /// Who can bring it about.
    package var origin: Origin {
        switch self {
        case .approved, .drainRequested, .drainCancelled, .resolved, .revoked: .administrator
        case .drained, .forkDetected, .graceExpired, .keyChanged, .wipeConfirmed: .device
        }
    }
}

extension DeviceState {
    /// The state after an event; the same state where the event changes nothing.
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
