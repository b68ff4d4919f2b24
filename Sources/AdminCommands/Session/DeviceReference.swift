import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel

/// How a command names a device: by its identifier or a prefix of it, by a prefix of its key's fingerprint, or while
/// pending by its code; never by its name.
enum DeviceReference: Hashable {
    case id(DeviceID)
    /// Lower-case hexadecimal digits, which may also be a prefix of an identifier.
    case fingerprintPrefix(String)
    /// A prefix of an identifier, in capitals and without dashes.
    case idPrefix(String)
    /// Letters with a dash between them, in capitals.
    case code(String)

    /// Fewer digits would soon be ambiguous.
    static let minimumPrefixCount = 4

    /// Parses an identifier, 4 to 64 hexadecimal digits with or without colons, or a code such as `WDJB-MJHT`.
    ///
    /// - Throws: why a name is not accepted.
    init(argument: String) throws {
        let digits = argument.lowercased().filter { $0 != ":" }
        if Self.minimumPrefixCount...2 * ContentDigest.byteCount ~= digits.utf8.count,
            digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
        {
            self = .fingerprintPrefix(digits)
        } else if let id = DeviceID(argument) {
            self = .id(id)
        } else if argument.wholeMatch(of: /[A-Za-z]{4}-[A-Za-z]{4}/) != nil {
            self = .code(argument.uppercased())
        } else if argument.filter({ $0 != "-" }).wholeMatch(of: /[0-9A-Za-z]{4,27}/) != nil,
            argument.contains(where: \.isNumber)
        {
            // As in identifiers: letters that look like digits are read as digits.
            let digits: [Character: Character] = ["O": "0", "I": "1", "L": "1"]
            self = .idPrefix(String(argument.uppercased().filter { $0 != "-" }.map { digits[$0] ?? $0 }))
        } else {
            throw ValidationError(
                "“\(argument)” names no device: use its identifier or the start of it, the first \(Self.minimumPrefixCount) or more "
                    + "characters of its fingerprint, or the code that it shows while it waits. Names can be forged. "
                    + "See tintypectl device list."
            )
        }
    }

    /// The form people write.
    var text: String {
        switch self {
        case .id(let id): "\(id)"
        case .fingerprintPrefix(let prefix), .idPrefix(let prefix): prefix
        case .code(let code): code
        }
    }

    /// What the text identifies.
    fileprivate var kind: String {
        switch self {
        case .id: "the identifier"
        case .fingerprintPrefix: "a fingerprint or an identifier that begins with"
        case .idPrefix: "an identifier that begins with"
        case .code: "the code"
        }
    }

    func matches(_ device: DeviceSummary) -> Bool {
        switch self {
        case .id(let id): device.id == id
        case .fingerprintPrefix(let prefix):
            device.keyFingerprint.description.hasPrefix(prefix) || Self.id(of: device, hasPrefix: prefix.uppercased())
        case .idPrefix(let prefix): Self.id(of: device, hasPrefix: prefix)
        case .code(let code): device.state == .pending && device.verificationCode == code
        }
    }
}

extension DeviceReference {
    private static func id(of device: DeviceSummary, hasPrefix prefix: String) -> Bool {
        device.id.description.filter { $0 != "-" }.hasPrefix(prefix)
    }
}

extension LibraryClient {
    /// Every device, page after page.
    func devices() async throws -> [DeviceSummary] {
        var devices: [DeviceSummary] = []
        try await followPages(from: nil) { (after: DeviceID?) in
            let page: DevicePage = try await call(.adminDevices, query: DeviceQuery(after: after).items)
            devices += page.devices
            return page.next
        }
        return devices
    }

    /// Resolves a device.
    ///
    /// - Throws: `failed` if none or several match.
    func device(_ reference: DeviceReference) async throws -> DeviceSummary {
        if case .id(let id) = reference { return try await call(.adminDevice, [id]) }
        let found = try await devices().filter(reference.matches)
        guard let device = found.first else {
            throw AdminError("No device has \(reference.kind) \(reference.text).", next: "tintypectl device list")
        }
        guard found.count == 1 else {
            let all = found.prefix(5).map { String($0.keyFingerprint.description.prefix(20)) }
            throw AdminError(
                "\(found.count) devices have \(reference.kind) \(reference.text): \(all.joined(separator: ", "))\(found.count > 5 ? " …" : "").",
                next: "the same command with more characters of the fingerprint"
            )
        }
        return device
    }
}
