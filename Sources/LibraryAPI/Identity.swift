package import PhotoModel

/// Why a device wants access, for the person who decides.
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

/// Requests enrolment as a device.
package struct EnrollmentRequest: Hashable, Sendable, Codable {
    /// A certificate signing request (PKCS #10, DER); only its key is used.
    package var certificateRequest: Base64Bytes
    /// The enrolment token's secret, if any.
    package var token: String?
    /// The name the device gives itself; shown, never trusted.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Hashes of hardware properties; hints, not proof; may be omitted.
    package var hardwareHints: [String]?
    /// Why it wants access.
    package var usage: UsageTexts
    /// The access levels it wants, by name.
    package var levels: [String]

    /// Describes the request.
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
}

/// The status of an enrolment.
package struct EnrollmentResponse: Hashable, Sendable, Codable {
    /// The decision.
    package enum State: String, Hashable, Sendable, Codable {
        /// Nobody has decided yet: ask again after `intervalSeconds`.
        case pending
        /// It is a device.
        case active
        /// It was refused.
        case refused
        /// Nobody decided in time: enrol again.
        case expired
    }

    /// The enrolment's identifier.
    package var id: EnrollmentID
    /// The decision.
    package var state: State
    /// The device; nil until there is one.
    package var deviceID: DeviceID?
    /// The code shown on both sides, for a person to compare.
    package var verificationCode: String?
    /// The certificates, PEM, the device's own first; nil until there is one.
    package var certificateChain: String?
    /// Seconds until the next request.
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

/// A certificate signing request for an enrolled device: renewal with the same key, rotation with a new one.
package struct CertificateRenewal: Hashable, Sendable, Codable {
    /// The request (PKCS #10, DER).
    package var certificateRequest: Base64Bytes
    /// For rotation, the old key's signature over the request.
    package var proof: Base64Bytes?

    /// Describes the request.
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

/// The authority's certificates and the receipt keys.
package struct AuthorityResponse: Hashable, Sendable, Codable {
    /// A receipt-signing key.
    package struct ReceiptKey: Hashable, Sendable, Codable {
        /// Its identifier in receipts.
        package var id: String
        /// The public key (SubjectPublicKeyInfo, DER).
        package var publicKey: Base64Bytes

        /// Describes the key.
        package init(id: String, publicKey: [UInt8]) {
            self.id = id
            self.publicKey = Base64Bytes(publicKey)
        }
    }

    /// The certificates to pin, PEM.
    package var certificates: String
    /// The keys that verify receipts.
    package var receiptKeys: [ReceiptKey]

    package init(certificates: String, receiptKeys: [ReceiptKey]) {
        self.certificates = certificates
        self.receiptKeys = receiptKeys
    }
}

/// A device's standing with the library.
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
        /// It delivers what it announced, then is revoked.
        package static let draining = State(rawValue: "draining")
        /// Its history has a twin.
        package static let suspect = State(rawValue: "suspect")
        /// Its rights have ended.
        package static let revoked = State(rawValue: "revoked")
    }

    /// The state.
    package var state: State
    /// Whether it must erase its queue and key.
    package var wipe: Bool
    /// When its certificate expires.
    package var certificateExpires: WallTime?

    package init(state: State, wipe: Bool = false, certificateExpires: WallTime? = nil) {
        self.state = state
        self.wipe = wipe
        self.certificateExpires = certificateExpires
    }
}
