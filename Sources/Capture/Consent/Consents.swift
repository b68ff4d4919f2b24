/// Remembers decisions; survives restarts.
package protocol ConsentStore: Sendable {
    /// The decision about a use of a device; `notDetermined` when there is none.
    func status(for subject: ConsentSubject) async throws -> ConsentStatus

    /// Records a decision durably.
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) async throws
}

/// Asks a person, with the reason that the settings give for the device.
package protocol ConsentPrompter: Sendable {
    /// Asks once and returns whether the person said yes; nil when nobody answered, which decides nothing.
    func ask(for subject: ConsentSubject) async throws -> Bool?
}

/// Where permissions to use cameras and microphones are asked for, kept and taken back.
package actor Consents {
    private let store: any ConsentStore
    private let prompter: any ConsentPrompter
    private var consents: [ConsentSubject: CaptureConsent] = [:]
    /// Counts decisions made here, to notice one that was made while a store was asked.
    private var decisionCount = 0
    private var questions: [ConsentSubject: [CheckedContinuation<Result<ConsentStatus, any Error>, Never>]] = [:]

    /// A desk over a store of decisions and a way to ask.
    package init(store: any ConsentStore, prompter: any ConsentPrompter) {
        self.store = store
        self.prompter = prompter
    }

    /// What has been decided, without asking anybody.
    package func status(for subject: ConsentSubject) async throws -> ConsentStatus {
        try await store.status(for: subject)
    }

    /// Asks a person if nothing is decided yet; callers at the same time share one question.
    ///
    /// - Parameter subject: the use to ask about.
    /// - Returns: what is decided afterwards.
    /// - Throws: what the store and the prompter throw.
    package func requestAccess(for subject: ConsentSubject) async throws -> ConsentStatus {
        let status = try await store.status(for: subject)
        guard status == .notDetermined else { return status }
        if questions[subject] != nil {
            return try await withCheckedContinuation { questions[subject, default: []].append($0) }.get()
        }
        questions[subject] = []
        let result: Result<ConsentStatus, any Error>
        do {
            result = .success(try await ask(subject))
        } catch {
            result = .failure(error)
        }
        for waiting in questions.removeValue(forKey: subject) ?? [] { waiting.resume(returning: result) }
        return try result.get()
    }

    private func ask(_ subject: ConsentSubject) async throws -> ConsentStatus {
        guard let answer = try await prompter.ask(for: subject) else { return .notDetermined }
        // A decision made by other means while the question was open stands.
        let meanwhile = try await store.status(for: subject)
        guard meanwhile == .notDetermined else { return meanwhile }
        let status: ConsentStatus = answer ? .authorized : .denied
        try await setStatus(status, for: subject)
        return status
    }

    /// The proof of permission that a session needs.
    ///
    /// - Parameter subject: the use wanted.
    /// - Returns: a consent that ends when the decision is taken back.
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

    /// Looks at the store again, where another process may have decided; consents that were taken back end.
    ///
    /// A store that cannot be read takes nothing back: the devices stay as the last readable decision says.
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

    /// Records a decision; anything but `authorized` ends the consents given out, even if recording it fails.
    package func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) async throws {
        decisionCount += 1
        if status != .authorized { consents.removeValue(forKey: subject)?.withdraw() }
        try await store.setStatus(status, for: subject)
        decisionCount += 1
        if status != .authorized { consents.removeValue(forKey: subject)?.withdraw() }
    }
}
