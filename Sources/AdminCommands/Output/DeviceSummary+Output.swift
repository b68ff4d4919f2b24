import Authorization
import LibraryAPI
import PhotoModel

extension DeviceSummary {
    /// Where it stands.
    var stateCell: Cell {
        switch state {
        case .active: Cell(state.rawValue, .good)
        case .pending, .draining: Cell(state.rawValue, .warning)
        case .suspect, .revoked: Cell(state.rawValue, .bad)
        default: Cell(state.rawValue)
        }
    }

    /// What it may do, in a word.
    var accessCell: Cell {
        switch (authorization.addOnly, authorization.readWrite) {
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
        return remarks
    }
}

extension Report {
    /// One device with everything that is known of it.
    static func device(_ device: DeviceSummary, now: WallTime, next: [String] = []) -> Report {
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
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { fields.append(Field(name, Cell(value))) }
        }
        add("Restricted by", access.restrictedBy)
        for pending in access.pending { add("Asks for", "\(pending.level), until \(pending.expires)") }
        add("Usage (add)", device.usage.add)
        add("Usage (read)", device.usage.readWrite)
        add("Code", device.verificationCode)
        add("Build", device.build)
        add("Address", device.address)
        add("First seen", Wording.relative(device.firstSeen, now: now))
        add("Last seen", Wording.relative(device.lastSeen, now: now))
        add("Certificate", device.certificateExpires.map { "ends \(Wording.relative($0, now: now))" })
        add("Looks like", device.lookAlikes.map(\.description).joined(separator: ", "))
        add("Decided by", "\(device.changedBy), \(Wording.relative(device.changedAt, now: now))")
        add("Reason", device.reason)
        add("Remarks", device.remarks.joined(separator: "; "))
        return Report(wire: device, identifiers: [device.id.description], content: .record(fields), next: next)
    }
}
