package import PhotoModel

/// A device's open request to the administrators.
package struct AccessRequest: Hashable, Sendable, Codable {
    /// How long a request stays open; after that the level can be requested again.
    package static let lifetime: Duration = .seconds(7 * 24 * 60 * 60)
    /// The most texts that a request may have, one after the other.
    package static let maximumUsageCount = 8

    /// The requesting device.
    package let device: DeviceID
    /// The requested level.
    package let level: AccessLevel
    /// Why, in the device owner's words.
    package let usage: UsageText
    /// The peer's address as the server saw it.
    package let address: String
    /// When it was opened, by the server's clock.
    package let openedAt: WallTime
    /// How many texts it has had; nil for one.
    package var usageCount: Int?

    /// When it lapses if nobody answers.
    package var expiresAt: WallTime { openedAt.advanced(by: Self.lifetime) }
}

/// The open requests: at most one per device and level, within the caps.
package struct AccessRequests: Hashable, Sendable {
    /// How many requests may be open at once.
    package struct Limits: Hashable, Sendable {
        /// In all.
        package var total: Int
        /// From one address.
        package var perAddress: Int

        package init(total: Int = 1_000, perAddress: Int = 32) {
            self.total = total
            self.perAddress = perAddress
        }
    }

    /// The result of a request.
    package enum Outcome: Hashable, Sendable {
        /// Already decided: the remembered answer; no administrator is asked.
        case remembered(AuthorizationStatus)
        /// The same request is already open.
        case pending(AccessRequest)
        /// A new request, now shown to administrators.
        case opened(AccessRequest)
        /// The request is open, and shown with its new text from now on.
        case replaced(AccessRequest)
    }

    private struct Key: Hashable, Sendable {
        let device: DeviceID
        let level: AccessLevel
    }

    private let limits: Limits
    private var requests: [Key: AccessRequest]

    /// Starts with the given open requests.
    package init(limits: Limits = Limits(), open: [AccessRequest] = []) {
        self.limits = limits
        requests = Dictionary(
            open.map { (Key(device: $0.device, level: $0.level), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The open requests, oldest first.
    package var open: [AccessRequest] {
        requests.values.sorted {
            ($0.openedAt, $0.device, $0.level.rawValue) < ($1.openedAt, $1.device, $1.level.rawValue)
        }
    }

    /// Requests a level, and returns the remembered answer, the open request, or a new one; the usage text is always
    /// required.
    ///
    /// A new text replaces the open request's; of too many, the last one stays.
    ///
    /// - Throws: `usageMissing` for a missing or invalid text, `slowDown` if too many requests are open.
    package mutating func request(
        _ level: AccessLevel,
        for record: DecisionRecord,
        usage: String?,
        from address: String,
        at now: WallTime
    ) throws(AuthorizationError) -> Outcome {
        let text: UsageText
        do {
            text = try UsageText(usage ?? "")
        } catch {
            throw AuthorizationError(.usageMissing, "the usage text \(error.rawValue)", about: level.rawValue)
        }
        expire(at: now)
        let status = record.access.status(for: level)
        guard status == .notDetermined else { return .remembered(status) }
        let key = Key(device: record.device, level: level)
        if let open = requests[key] {
            let count = min(open.usageCount ?? 1, AccessRequest.maximumUsageCount) + 1
            guard open.usage != text, count <= AccessRequest.maximumUsageCount else { return .pending(open) }
            let request = AccessRequest(
                device: record.device,
                level: level,
                usage: text,
                address: open.address,
                openedAt: open.openedAt,
                usageCount: count
            )
            requests[key] = request
            return .replaced(request)
        }
        guard requests.count < limits.total else {
            throw AuthorizationError(.slowDown, "too many requests are open", about: level.rawValue)
        }
        guard requests.values.count(where: { $0.address == address }) < limits.perAddress else {
            throw AuthorizationError(.slowDown, "too many requests from this address are open", about: address)
        }
        let request = AccessRequest(device: record.device, level: level, usage: text, address: address, openedAt: now)
        requests[key] = request
        return .opened(request)
    }

    /// Closes a device's requests that an administrator answered.
    package mutating func close(_ levels: Set<AccessLevel>, of device: DeviceID) {
        for level in levels { requests[Key(device: device, level: level)] = nil }
    }

    /// Ends lapsed requests; their levels are as undecided as before.
    @discardableResult
    package mutating func expire(at now: WallTime) -> [AccessRequest] {
        let expired = open.filter { $0.expiresAt <= now }
        for request in expired { close([request.level], of: request.device) }
        return expired
    }
}
