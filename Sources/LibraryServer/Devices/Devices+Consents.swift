import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

extension Devices {
    /// Withdraws consents given at a box, which stops those cameras and microphones at its next contact.
    ///
    /// Withdrawals are numbered by the clock, so that a restored server does not repeat a number.
    ///
    /// - Throws: `object.not_found`; `request.malformed` if the box may use none of them.
    func withdrawConsent(
        of id: DeviceID,
        _ request: ConsentWithdrawalRequest,
        by administrator: Administrator,
        at now: WallTime
    ) async throws {
        guard let profile = try await store.device(id)?.profile else { throw ProblemDetails.notFound }
        let withdrawn = (profile.consents ?? []).filter { request.names($0) && $0.status == Self.allowed }
        guard !withdrawn.isEmpty else {
            throw ProblemDetails(
                .malformedRequest,
                "The device reports no such camera or microphone that it may use: see tintypectl device show.",
                field: "device"
            )
        }
        let words = withdrawn.map { "\($0.capability) \($0.device)" }.joined(separator: ", ")
        let audit = administrator.audit(.consentWithdrawal, words, request.reason, of: id)
        _ = try await store.updateProfile(of: id, closing: [.device(id)], audit: audit) { profile in
            profile.withdraw(withdrawn, at: now)
        }
        // A box whose wait ends makes contact, which tells of the withdrawal.
        active.close(.device(id))
    }

    /// The wire status of a consent that was given.
    private static let allowed = "authorized"
}

extension ConsentWithdrawalRequest {
    fileprivate func names(_ consent: DeviceConsent) -> Bool {
        (capability ?? consent.capability) == consent.capability && (device ?? consent.device) == consent.device
    }
}

extension DeviceProfile {
    /// Records withdrawals for the box to follow, one per camera or microphone.
    ///
    /// What already waits keeps its number: the box may have followed it, and a person there may have allowed it again.
    fileprivate mutating func withdraw(_ consents: [DeviceConsent], at now: WallTime) {
        let waiting = consentWithdrawals ?? []
        let added = consents.filter { consent in
            !waiting.contains { $0.capability == consent.capability && $0.device == consent.device }
        }
        let last = (waiting.map(\.number).max() ?? 0).clamped(to: 0...1 << 62)
        let first = max(UInt64(clamping: now.millisecondsSince1970), last + 1)
        let new = added.enumerated().map { index, consent in
            ConsentWithdrawal(number: first + UInt64(index), capability: consent.capability, device: consent.device)
        }
        consentWithdrawals = Array((waiting + new).suffix(APILimits.consentCount))
        if !new.isEmpty { hasNewWithdrawals = true }
    }

    /// Records the box's report of its cameras and microphones, and drops the withdrawals it has followed; the contact's
    /// answer tells it of the others.
    mutating func take(consentsOf request: ContactRequest) {
        hasNewWithdrawals = nil
        if let told = request.consents { consents = told }
        guard let followed = request.consentWithdrawal else { return }
        let waiting = (consentWithdrawals ?? []).filter { $0.number > followed }
        consentWithdrawals = waiting.isEmpty ? nil : waiting
    }
}
