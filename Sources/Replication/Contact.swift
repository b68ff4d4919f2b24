/// What a device opens a contact with: who it is, and how far its history reaches.
package struct Contact: Hashable, Sendable {
    /// The device's identifier, as its certificate has it.
    package let device: UInt128
    /// Its incarnation.
    package let incarnation: ReplicaID
    /// Its highest counter with the chain's hash there.
    package let history: HistoryChain
    /// A hash of what marks the machine: board serial, disk serial.
    package let hostFingerprint: HashValue
    /// The machine's current boot.
    package let bootID: UInt128

    /// Describes a contact.
    ///
    /// - Parameters:
    ///   - device: the device's identifier.
    ///   - incarnation: its incarnation.
    ///   - history: its highest counter with the chain's hash there.
    ///   - hostFingerprint: what marks the machine.
    ///   - bootID: the machine's current boot.
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
    /// All is well; changes after `acknowledged` are expected. A changed host is worth an audit row: the disk was moved.
    case continues(acknowledged: UInt64, isHostChanged: Bool)
    /// An old image was restored on the same host: the server knows more than the device says.
    case rolledBack(serverKnows: UInt64)
    /// Two histories share this incarnation.
    case fork
    /// Two machines, or two boots, hold this incarnation and are alive.
    case twins

    /// What the device has to do.
    package var remedy: Remedy {
        switch self {
        case .unknown, .continues: .proceed
        case .rolledBack: .beginNewIncarnation
        case .fork, .twins: .becomeSuspect
        }
    }

    /// What follows from a verdict.
    package enum Remedy: Hashable, Sendable {
        /// Send what is pending.
        case proceed
        /// Take a new incarnation, fetch the library anew, and re-author what was never acknowledged (`Reauthoring`).
        case beginNewIncarnation
        /// Uploads go to quarantine, reads stop, an administrator decides.
        case becomeSuspect
    }
}
