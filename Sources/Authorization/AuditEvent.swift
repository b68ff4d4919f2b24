/// The kinds of audit entry; the raw values are stable names.
package enum AuditEvent: String, CaseIterable, Hashable, Sendable, Codable {
    /// A device enrolled.
    case enrol
    /// A device asked for a level.
    case request
    /// An administrator or an enrolment token decided.
    case decide
    /// An administrator reset a decision.
    case reset
    /// A request or a grace period ended by itself.
    case expire
    /// A certificate was renewed.
    case renew
    /// A key was rotated.
    case rotate
    /// A device began, stopped or finished draining.
    case drain
    /// Two copies of a device were detected.
    case fork
    /// An administrator chose between copies.
    case resolve
    /// A device was revoked.
    case revoke
    /// A device was told to erase itself, or confirmed that it did.
    case wipe
    /// An administrator changed a device's name, tags or notes.
    case rename = "device.rename"
    /// An administrator withdrew a consent for a device's camera or microphone.
    case consentWithdrawal = "consent.withdraw"
    /// A ceiling changed.
    case policyChange = "policy.change"
    /// A selection changed.
    case selectionChange = "selection.change"
    /// A picker session was opened.
    case pickerCreate = "picker.create"
    /// Somebody picked.
    case pickerPick = "picker.pick"
    /// Picked items were fetched.
    case pickerFetch = "picker.fetch"
    /// A picker session ended.
    case pickerEnd = "picker.end"
    /// Access was denied; repetitions are folded into one entry.
    case deniedAccess = "access.denied"
    /// An administrator paused, resumed or retried jobs on originals.
    case jobsControl = "jobs.control"
    /// A new history began: the library was restored, or its database lost confirmed changes.
    case epochBegin = "epoch.begin"
    /// An administrator logged in.
    case adminLogin = "admin.login"
}
