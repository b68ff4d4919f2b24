/// An administrator's decisions about one device: the two stored ones, from which every status follows.
///
/// With A for adding and R for reading and writing: `readWrite` is R; `addOnly` is R when R grants access, else A.
package struct AccessDecision: Hashable, Sendable, Codable {
    /// The decision about adding only (A).
    package enum AddOnly: String, CaseIterable, Hashable, Sendable, Codable {
        /// Not decided yet.
        case notDetermined
        /// May add.
        case authorized
        /// May not add.
        case denied
    }

    /// The decision about reading and writing (R).
    package enum ReadWrite: String, CaseIterable, Hashable, Sendable, Codable {
        /// Not decided yet.
        case notDetermined
        /// May read and write a selection.
        case limited
        /// May read and write the whole library.
        case authorized
        /// May not read or write.
        case denied
    }

    /// The four answers available to an administrator.
    package enum Answer: String, CaseIterable, Hashable, Sendable, Codable {
        /// The whole library.
        case all
        /// A selection of it.
        case selected
        /// Adding, nothing else.
        case addOnly = "add-only"
        /// Nothing.
        case none
    }

    /// A: the decision about adding.
    package var addOnly: AddOnly
    /// R: the decision about reading and writing.
    package var readWrite: ReadWrite

    /// By default nothing is decided.
    package init(addOnly: AddOnly = .notDetermined, readWrite: ReadWrite = .notDetermined) {
        self.addOnly = addOnly
        self.readWrite = readWrite
    }

    /// The status of a level, before any ceiling.
    package func status(for level: AccessLevel) -> AuthorizationStatus {
        switch level {
        case .readWrite: readWrite.status
        case .addOnly: readWrite.status.grantsAccess ? readWrite.status : addOnly.status
        }
    }

    /// The decision to store after the administrator's answer; a refusal decides only the requested levels.
    package func answered(_ answer: Answer, for levels: Set<AccessLevel>) -> AccessDecision {
        var decision = self
        switch answer {
        case .all: decision.readWrite = .authorized
        case .selected: decision.readWrite = .limited
        case .addOnly:
            decision.addOnly = .authorized
            if levels.contains(.readWrite) { decision.readWrite = .denied }
        case .none:
            if levels.contains(.addOnly) { decision.addOnly = .denied }
            if levels.contains(.readWrite) { decision.readWrite = .denied }
        }
        return decision
    }
}

extension AccessDecision.AddOnly {
    /// The decision as a status.
    package var status: AuthorizationStatus {
        switch self {
        case .notDetermined: .notDetermined
        case .authorized: .authorized
        case .denied: .denied
        }
    }
}

extension AccessDecision.ReadWrite {
    /// The decision as a status.
    package var status: AuthorizationStatus {
        switch self {
        case .notDetermined: .notDetermined
        case .limited: .limited
        case .authorized: .authorized
        case .denied: .denied
        }
    }
}
