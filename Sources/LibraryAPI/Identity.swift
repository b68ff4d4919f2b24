package import PhotoModel

/// The texts that say, to the person who decides, what a device wants access for.
package struct UsageTexts: Hashable, Sendable, Codable {
    /// Why it saves into the library.
    package var add: String?
    /// Why it reads and changes the library.
    package var readWrite: String?

    package init(add: String? = nil, readWrite: String? = nil) {
        self.add = add
        self.readWrite = readWrite
    }
}

/// Asks to become a device.
package struct EnrollmentRequest: Hashable, Sendable, Codable {
    /// A certificate signing request (PKCS #10, DER); of it only the key counts.
    package var certificateRequest: Base64Bytes
    /// The enrolment token's secret, where there is one.
    package var token: String?
    /// What the device calls itself; shown, never trusted.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Hashes of what the hardware says of itself; hints, no proof.
    package var hardwareHints: [String]
    /// Why it wants access.
    package var usage: UsageTexts
    /// The access levels that it wants, by name.
    package var levels: [String]

    /// Takes the request as it is.
    package init(
        certificateRequest: [UInt8],
        token: String? = nil,
        name: String,
        build: String,
        hardwareHints: [String] = [],
        usage: UsageTexts,
        levels: [String]
    ) {
        self.certificateRequest = Base64Bytes(certificateRequest)
        self.token = token
        self.name = name
        self.build = build
        self.hardwareHints = hardwareHints
        self.usage = usage
        self.levels = levels
    }

    /// Reads a request; hints may be left out.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        certificateRequest = try container.decode(Base64Bytes.self, forKey: .certificateRequest)
        token = try container.decodeIfPresent(String.self, forKey: .token)
        name = try container.decode(String.self, forKey: .name)
        build = try container.decode(String.self, forKey: .build)
        hardwareHints = try container.decodeIfPresent([String].self, forKey: .hardwareHints) ?? []
        usage = try container.decode(UsageTexts.self, forKey: .usage)
        levels = try container.decode([String].self, forKey: .levels)
    }
}

/// How an enrolment stands.
package struct EnrollmentResponse: Hashable, Sendable, Codable {
    /// What was decided.
    package enum State: String, Hashable, Sendable, Codable {
        /// Nobody has decided yet: ask again after `intervalSeconds`.
        case pending
        /// It is a device.
        case active
        /// It is not wanted.
        case refused
        /// Nobody decided in time: enrol again.
        case expired
    }

    /// Names the enrolment.
    package var id: EnrollmentID
    /// What was decided.
    package var state: State
    /// The device; nil until there is one.
    package var deviceID: DeviceID?
    /// What both sides show, for a person to compare.
    package var verificationCode: String?
    /// The certificates, PEM, the device's own first; nil until there is one.
    package var certificateChain: String?
    /// Seconds until asking again.
    package var intervalSeconds: Int?

    package init(
        id: EnrollmentID,
        state: State,
        deviceID: DeviceID? = nil,
        verificationCode: String? = nil,
        certificateChain: String? = nil,
        intervalSeconds: Int? = nil
    ) {
        self.id = id
        self.state = state
        self.deviceID = deviceID
        self.verificationCode = verificationCode
        self.certificateChain = certificateChain
        self.intervalSeconds = intervalSeconds
    }
}

/// A certificate signing request for a device that is one already: renewal with the same key, rotation with a new one.
package struct CertificateRenewal: Hashable, Sendable, Codable {
    /// The request (PKCS #10, DER).
    package var certificateRequest: Base64Bytes
    /// With rotation, the old key's signature over the request.
    package var proof: Base64Bytes?

    /// Takes the request as it is.
    package init(certificateRequest: [UInt8], proof: [UInt8]? = nil) {
        self.certificateRequest = Base64Bytes(certificateRequest)
        self.proof = proof.map(Base64Bytes.init)
    }
}

/// New certificates.
package struct CertificateResponse: Hashable, Sendable, Codable {
    /// The certificates, PEM, the device's own first.
    package var certificateChain: String
    package init(certificateChain: String) { self.certificateChain = certificateChain }
}

/// The authority's certificates and the keys that sign receipts.
package struct AuthorityResponse: Hashable, Sendable, Codable {
    /// One key that signs receipts.
    package struct ReceiptKey: Hashable, Sendable, Codable {
        /// Its name, as receipts give it.
        package var id: String
        /// The public key (SubjectPublicKeyInfo, DER).
        package var publicKey: Base64Bytes

        /// Takes the key as it is.
        package init(id: String, publicKey: [UInt8]) {
            self.id = id
            self.publicKey = Base64Bytes(publicKey)
        }
    }

    /// The certificates to be pinned, PEM.
    package var certificates: String
    /// The keys that receipts are verified with.
    package var receiptKeys: [ReceiptKey]

    package init(certificates: String, receiptKeys: [ReceiptKey]) {
        self.certificates = certificates
        self.receiptKeys = receiptKeys
    }
}

/// Whether the device is wanted.
package struct IdentityState: Hashable, Sendable, Codable {
    /// A device's state.
    package struct State: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept and treated as `.pending`.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// Nobody has decided yet.
        package static let pending = State(rawValue: "pending")
        /// It is a device.
        package static let active = State(rawValue: "active")
        /// It sends what it announced, and then ends.
        package static let draining = State(rawValue: "draining")
        /// Its history has a twin.
        package static let suspect = State(rawValue: "suspect")
        /// Its rights have ended.
        package static let revoked = State(rawValue: "revoked")
    }

    /// The state.
    package var state: State
    /// Whether it is asked to erase its queue and key.
    package var wipe: Bool
    /// When its certificate ends.
    package var certificateExpires: WallTime?

    package init(state: State, wipe: Bool = false, certificateExpires: WallTime? = nil) {
        self.state = state
        self.wipe = wipe
        self.certificateExpires = certificateExpires
    }
}
