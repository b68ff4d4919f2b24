import PhotoModel

/// Stores decisions; survives restarts.
package protocol ConsentStore: Sendable {
    /// The decision about a use of a device; `notDetermined` if there is none.
    func status(for subject: ConsentSubject) async throws -> ConsentStatus

    /// Records a decision durably.
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) async throws
}

/// Asks a person, showing the reason from the settings.
package protocol ConsentPrompter: Sendable {
    /// Asks once and returns whether the person agreed; nil if nobody answered, which decides nothing.
    func ask(for subject: ConsentSubject) async throws -> Bool?
}

/// Requests, stores and withdraws permissions to use cameras and microphones.
package actor Consents {
    private let store: any ConsentStore
    private let prompter: any ConsentPrompter
    private var consents: [ConsentSubject: CaptureConsent] = [:]
    /// Counts decisions made here, to notice one made during a store access.
    private var decisionCount = 0
    private var questions: [ConsentSubject: [CheckedContinuation<Result<ConsentStatus, any Error>, Never>]] = [:]

    package init(store: any ConsentStore, prompter: any ConsentPrompter) {
        self.store = store
        self.prompter = prompter
    }

    /// The current decision, without asking anybody.
    package func status(for subject: ConsentSubject) async throws -> ConsentStatus {
        try await store.status(for: subject)
    }

    /// Asks a person if nothing is decided yet, and returns the decision; concurrent callers share one question.
    package func requestAccess(for subject: ConsentSubject) async throws -> ConsentStatus {
        let status = try await store.status(for: subject)
        guard status == .notDetermined else { return status }
        if questions[subject] != nil {
            return try await withCheckedContinuation { questions[subject, default: []].append($0) }.get()
        }
        questions[subject] = []
        let result = await Result.awaiting { try await ask(subject) }
        for waiting in questions.removeValue(forKey: subject) ?? [] { waiting.resume(returning: result) }
        return try result.get()
    }

    private func ask(_ subject: ConsentSubject) async throws -> ConsentStatus {
        guard let answer = try await prompter.ask(for: subject) else { return .notDetermined }
        // A decision made elsewhere while the question was open stands.
        let meanwhile = try await store.status(for: subject)
        guard meanwhile == .notDetermined else { return meanwhile }
        let status: ConsentStatus = answer ? .authorized : .denied
        try await setStatus(status, for: subject)
        return status
    }

    /// The proof of permission that a session needs; it ends when the decision is withdrawn.
    ///
    /// - Throws: `notAuthorized` unless the decision is `authorized`, and what the store throws.
    package func consent(for subject: ConsentSubject) async throws -> CaptureConsent {
        var status: ConsentStatus
        var seen: Int
        repeat {
            seen = decisionCount
            status = try await store.status(for: subject)
        } while seen != decisionCount
        guard status == .authorized else {
            throw CaptureError(
                .notAuthorized,
                "using the \(subject.capability.rawValue) is \(status.rawValue); decide it with `consent set`",
                deviceID: subject.deviceID
            )
        }
        if let consent = consents[subject], !consent.isWithdrawn { return consent }
        let consent = CaptureConsent(subject)
        consents[subject] = consent
        return consent
    }

    /// Rereads the store, where another process may have decided; withdrawn consents end.
    ///
    /// An unreadable store withdraws nothing: the last readable decision stays in force.
    ///
    /// - Throws: what the store throws.
    package func refresh() async throws {
        for subject in consents.keys {
            let seen = decisionCount
            let status = try await store.status(for: subject)
            guard status != .authorized, seen == decisionCount else { continue }
            consents.removeValue(forKey: subject)?.withdraw()
        }
    }

    /// Records a decision; anything but `authorized` ends existing consents, even if recording fails.
    package func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) async throws {
        decisionCount += 1
        if status != .authorized { consents.removeValue(forKey: subject)?.withdraw() }
        try await store.setStatus(status, for: subject)
        decisionCount += 1
        if status != .authorized { consents.removeValue(forKey: subject)?.withdraw() }
    }
}
