import Authorization
import LibraryAPI
import PhotoModel
import Terminal

/// Everything that waits for an administrator: pending devices, requested levels, and selections to extend.
struct Inbox: Encodable {
    let devices: [DeviceSummary]
    /// Requested levels, oldest first.
    let requests: [AccessRequestSummary]
    /// Devices that request a larger selection.
    let expansions: [ExpansionSummary]
    private let fingerprints: [DeviceID: ContentDigest]

    private enum CodingKeys: CodingKey {
        case devices, requests, expansions
    }

    /// Sorts out what is waiting.
    init(_ page: AccessRequestPage, devices all: [DeviceSummary]) {
        devices = all.filter { $0.state == .pending }.sorted { $0.firstSeen < $1.firstSeen }
        let waiting = Set(devices.map(\.id))
        // Approving a device also answers its requests.
        requests = page.requests.filter { !waiting.contains($0.deviceID) }
        expansions = page.expansions
        fingerprints = Dictionary(all.map { ($0.id, $0.keyFingerprint) }) { first, _ in first }
    }

    /// The devices, in row order.
    var deviceIDs: [DeviceID] { devices.map(\.id) + requests.map(\.deviceID) + expansions.map(\.deviceID) }

    /// The command that answers the first.
    var next: String? {
        if let device = devices.first {
            let code = device.verificationCode.map { " --expect-code \($0)" } ?? ""
            return "tintypectl device approve \(Wording.short(device.keyFingerprint)) --as add-only\(code)"
        }
        if let request = requests.first {
            let answer = request.level == AccessLevel.addOnly.rawValue ? "add-only" : "selected"
            return "tintypectl request decide \(Wording.short(request.keyFingerprint)) --as \(answer)"
        }
        return expansions.first.map { "tintypectl request expand \(name(of: $0.deviceID)) --album ALBUM, or --refuse" }
    }

    /// One row per request.
    func rows(now: WallTime) -> [[Cell]] {
        devices.map { device in
            let code = device.verificationCode.map { ", shows \($0)" } ?? ""
            return row(
                device.id,
                device.name,
                "to be let in\(code)",
                (device.firstSeen, nil),
                device.usageWords,
                now
            )
        }
            + requests.map {
                row($0.deviceID, $0.deviceName, $0.level, ($0.openedAt, $0.expiresAt), $0.usage, now)
            }
            + expansions.map {
                row($0.deviceID, $0.deviceName, "more photos", ($0.openedAt, $0.expiresAt), $0.reason, now)
            }
    }

    private func row(
        _ device: DeviceID,
        _ name: String,
        _ question: String,
        _ times: (opened: WallTime, ends: WallTime?),
        _ why: String,
        _ now: WallTime
    ) -> [Cell] {
        [
            Cell(self.name(of: device)), Cell(name), Cell(question), Cell(Wording.relative(times.opened, now: now)),
            Cell(times.ends.map { Wording.relative($0, now: now) } ?? ""), Cell(why),
        ]
    }

    private func name(of device: DeviceID) -> String { fingerprints[device].map(Wording.short) ?? "\(device)" }
}

extension DeviceSummary {
    /// Why it wants to save, and to read if it does.
    fileprivate var usageWords: String {
        guard let readWrite = usage.readWrite else { return usage.add ?? "" }
        return [usage.add.map { "to save: \($0)" }, "to read: \(readWrite)"].compactMap(\.self).joined(separator: "; ")
    }
}
