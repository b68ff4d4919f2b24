/// What a device sends to open a contact: its identity, and how far its history reaches.
package struct Contact: Hashable, Sendable {
    /// The device's identifier, as in its certificate.
    package let device: UInt128
    /// Its incarnation.
    package let incarnation: ReplicaID
    /// Its highest counter, with the chain's hash there.
    package let history: HistoryChain
    /// A hash of the machine's identity: board serial, disk serial.
    package let hostFingerprint: HashValue
    /// The machine's current boot.
    package let bootID: UInt128

    package init(
        device: UInt128,
        incarnation: ReplicaID,
        history: HistoryChain,
        hostFingerprint: HashValue,
        bootID: UInt128
    ) {
        self.device = device
        self.incarnation = incarnation
        self.history = history
        self.hostFingerprint = hostFingerprint
        self.bootID = bootID
    }
}

/// What the server concludes from a contact.
package enum ContactVerdict: Hashable, Sendable {
    /// The server has never seen this incarnation: its history begins with counter 1.
    case unknown
    /// All is well; changes after `acknowledged` are expected. A changed host is worth an audit entry: the disk was
    /// moved.
    case continues(acknowledged: UInt64, isHostChanged: Bool)
    /// An old image was restored on the same host: the server knows more than the device reports.
    case rolledBack(serverKnows: UInt64)
    /// Two histories share this incarnation.
    case fork
    /// Two machines, or two boots, with this incarnation are alive.
    case twins

    /// What the device must do.
    package var remedy: Remedy {
        switch self {
        case .unknown, .continues: .proceed
        case .rolledBack: .beginNewIncarnation
        case .fork, .twins: .becomeSuspect
        }
    }

    /// The consequence of a verdict.
    package enum Remedy: Hashable, Sendable {
        /// Send what is pending.
        case proceed
        /// Take a new incarnation, fetch the library from scratch, and re-author what was never acknowledged
        /// (`Reauthoring`).
        case beginNewIncarnation
        /// Uploads are quarantined, reads stop, an administrator decides.
        case becomeSuspect
    }
}
