import Authorization
import LibraryAPI
import PhotoModel
import Terminal

/// The cell of a table; `Authorization` has another type of this name.
typealias Cell = Terminal.Cell

extension DeviceSummary {
    /// Its name with its fingerprint, for questions about it.
    var shownName: String { DeviceName(name).shown(with: keyFingerprint) }

    /// Its state.
    var stateCell: Cell {
        switch state {
        case .active: Cell(state.rawValue, .good)
        case .pending, .draining: Cell(state.rawValue, .warning)
        case .suspect, .revoked: Cell(state.rawValue, .bad)
        default: Cell(state.rawValue)
        }
    }

    /// Its access, for people: nothing once it is revoked, whatever was decided.
    var accessCell: Cell {
        if state == .revoked { return Cell("nothing", .bad) }
        return switch (authorization.addOnly, authorization.readWrite) {
        case (_, .authorized): Cell("everything", .good)
        case (_, .limited): Cell("selection", .good)
        case (.authorized, _): Cell("add only", .good)
        case (.restricted, _): Cell("restricted", .bad)
        case (.denied, _): Cell("nothing", .bad)
        default: Cell("undecided", .warning)
        }
    }

    /// What an administrator should look at.
    var remarks: [String] {
        var remarks: [String] = []
        if state == .pending, let verificationCode { remarks.append("shows \(verificationCode)") }
        remarks += authorization.pending.map { "asks for \($0.level)" }
        if !lookAlikes.isEmpty { remarks.append("name looks like another device's") }
        if DeviceName(name).isMarked { remarks.append("unusual characters in its name") }
        if wipe { remarks.append("told to erase itself") }
        if let drain { remarks.append(drain.words) }
        return remarks
    }
}

extension DrainProgress {
    /// The progress of draining.
    fileprivate var words: String {
        guard isAnnounced else { return "does not know yet that it is being drained" }
        return remainingCount == 0 ? "nothing left to send" : "\(Wording.count(remainingCount, "capture")) left to send"
    }
}

extension Report {
    /// One device with everything known about it, including its live rights.
    static func device(
        _ device: DeviceSummary,
        pickers: [PickDocument] = [],
        expansion: ExpansionSummary? = nil,
        now: WallTime,
        next: [String] = []
    ) -> Report {
        let access = device.authorization
        var fields = [
            Field("Device", Cell("\(device.id)")),
            Field("Name", Cell(device.name)),
            Field("Fingerprint", Cell("\(device.keyFingerprint)")),
            Field("State", device.stateCell),
            Field("May", device.accessCell),
            Field("Add", Cell(access.addOnly.rawValue)),
            Field("Read and write", Cell(access.readWrite.rawValue)),
        ]
        func add(_ name: String, _ value: String?, _ style: Cell.Style = .plain) {
            if let value, !value.isEmpty { fields.append(Field(name, Cell(value, style))) }
        }
        add("That means", device.naming(access.next))
        add("Restricted by", access.restrictedBy, .bad)
        for pending in access.pending { add("Asks for", "\(pending.level), until \(pending.expires)", .warning) }
        if let expansion {
            let next = device.naming("tintypectl request expand <device>")
            add("Asks for", "more photos, until \(expansion.expiresAt): \(expansion.reason); \(next)", .warning)
            add("Request", "\(expansion.id)")
        }
        add("Selection", access.selection.map { "\(Wording.count($0.rules, "rule")), tintypectl selection show" })
        for session in pickers {
            add(
                "May fetch",
                "\(Wording.count(session.picked.count, "picked asset")), ends \(Wording.relative(session.expires, now: now))"
                    + " (\(session.request.purpose)); tintypectl picker end \(session.id)"
            )
        }
        fields += device.queueFields(now: now) + device.consentFields
        add("Usage (add)", device.usage.add)
        add("Usage (read)", device.usage.readWrite)
        add("Tags", device.tags.joined(separator: ", "))
        add("Album", device.album)
        add("Code", device.verificationCode)
        add("Build", device.build)
        add("Address", device.address)
        add("First seen", Wording.relative(device.firstSeen, now: now))
        add("Last seen", Wording.relative(device.lastSeen, now: now))
        add("Last added", device.lastAdded.map { Wording.relative($0, now: now) })
        add("Last read", device.lastRead.map { Wording.relative($0, now: now) })
        add("Certificate", device.certificateExpires.map { "ends \(Wording.relative($0, now: now))" })
        for instance in device.instances ?? [] {
            let refused = instance.refusedCount > 0 ? ", \(Wording.count(instance.refusedCount, "refused change"))" : ""
            add("Instance", "\(instance.incarnation), \(Wording.relative(instance.lastContact, now: now))\(refused)")
        }
        add("Looks like", device.lookAlikes.map(\.description).joined(separator: ", "), .warning)
        add("Decided by", "\(device.changedBy), \(Wording.relative(device.changedAt, now: now))")
        add("Reason", device.reason)
        add("Remarks", device.remarks.joined(separator: "; "))
        return Report(wire: device, identifiers: [device.id.description], content: .record(fields), next: next)
    }
}

extension DeviceSummary {
    /// What waits on the box, and why, as reported at its last contact.
    func queueFields(now: WallTime) -> [Report.Field] {
        guard let status else { return [] }
        let queued = "\(Wording.count(status.queuedAssets, "capture")), \(Wording.byteCount(status.queuedBytes))"
        var fields = [
            Report.Field(
                "Waits on the box",
                Cell("\(status.queuedAssets > 0 ? queued : "nothing"), as of \(Wording.relative(lastSeen, now: now))")
            ),
            Report.Field("Free on the box", Cell(Wording.byteCount(status.freeBytes))),
        ]
        for (name, count) in status.holds.sorted(by: { $0.key < $1.key }) where count > 0 {
            // An unknown reason is still shown.
            let words = HoldReason(rawValue: name).map { "\($0.words); \(naming($0.nextStep))" } ?? name
            fields.append(.init("Held back", Cell("\(Wording.count(count, "capture")): \(words)", .warning)))
        }
        if status.deadLetters > 0 { fields.append(.init("Refused for good", Cell(status.refusalWords, .bad))) }
        return fields
    }

    /// Consents given or refused at the box for its cameras and microphones.
    var consentFields: [Report.Field] {
        (consents ?? []).map { consent in
            let isWaiting = (consentWithdrawals ?? []).contains {
                $0.capability == consent.capability && $0.device == consent.device
            }
            let words = "\(consent.status): \(consent.device)"
            return Report.Field(
                consent.capability == "microphone" ? "Microphone" : "Camera",
                isWaiting ? Cell("\(words); withdrawn, but the box has not applied it yet", .warning) : Cell(words)
            )
        }
    }

    /// The command for an administrator to type, with this device filled in.
    func naming(_ text: String) -> String {
        let name = Wording.short(keyFingerprint)
        return text.replacing("<fingerprint>", with: name).replacing("<device>", with: name)
    }
}

extension ContactRequest.Status {
    /// What was refused for good.
    fileprivate var refusalWords: String {
        guard let changes = refusedChanges else {
            return Wording.count(deadLetters, "capture or change", plural: "captures or changes")
        }
        var parts: [String] = []
        if deadLetters > changes { parts.append(Wording.count(deadLetters - changes, "capture")) }
        if changes > 0 { parts.append(Wording.count(changes, "change")) }
        return parts.joined(separator: ", ")
    }
}
