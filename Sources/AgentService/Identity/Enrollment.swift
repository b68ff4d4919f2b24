import AgentCapture
package import BoxIdentity
package import DeviceIdentity
import Host
package import LibraryAPI
package import LibraryClient
import Persistence
import PhotoModel

/// Enrols a box as a device of a library: pins the authority first, and sends nothing to any other server.
package struct Enrollment: Sendable {
    /// The operator's invitation.
    package struct Invitation: Sendable {
        /// The library's address.
        package var origin: ServerOrigin
        /// Its authority's fingerprint.
        package var fingerprint: Fingerprint
        /// The token's text; nil to ask an administrator.
        package var token: String?

        /// Parses the arguments: an enrolment token, which contains the authority's fingerprint, or the fingerprint
        /// alone.
        ///
        /// - Throws: `usage`, naming what to provide instead.
        package init(url: String, token: String?, fingerprint: String?) throws {
            guard let origin = ServerOrigin(url) else {
                throw AgentError(.usage, "\(url) is not a library's address: use https://host:port")
            }
            let read = token.flatMap { EnrollmentToken($0) }
            if token != nil, read == nil {
                throw AgentError(.usage, "the token is incomplete: copy all that enrollment-token create printed")
            }
            let typed = fingerprint.flatMap { Fingerprint($0) }
            if fingerprint != nil, typed == nil {
                throw AgentError(.usage, "a fingerprint has 64 hexadecimal digits: see what tintype-server init prints")
            }
            if let read, let typed, read.authority != typed {
                throw AgentError(
                    .usage,
                    "the token is for a different authority than --ca-fingerprint: check both with the administrator"
                )
            }
            guard let authority = read?.authority ?? typed else {
                throw AgentError(.usage, "use --token TOKEN, or --ca-fingerprint F as printed by tintype-server init")
            }
            self.origin = origin
            self.fingerprint = authority
            self.token = token
        }
    }

    /// The box's claims about itself.
    package struct Claim: Sendable {
        /// Its name.
        package var name: String
        /// The program and its version.
        package var build: String
        /// Why it wants access.
        package var usage: UsageTexts
        /// The proxy.
        package var proxy: String?

        package init(name: String, build: String, usage: UsageTexts, proxy: String? = nil) {
            self.name = name
            self.build = build
            self.usage = usage
            self.proxy = proxy
        }
    }

    private let folder: IdentityFolder
    private let makeTransport: @Sendable (CurlSettings) throws -> any Transport

    /// Creates an enrolment into a folder; tests pass their own transport.
    package init(
        folder: IdentityFolder,
        makeTransport: @escaping @Sendable (CurlSettings) throws -> any Transport = { try CurlTransport($0) }
    ) {
        self.folder = folder
        self.makeTransport = makeTransport
    }

    /// Requests enrolment, and pins the library unless it refuses at once.
    ///
    /// - Throws: `unreachable` if the server is down or not the invited one; it was then sent only a request for its
    ///   certificates.
    package func begin(_ invitation: Invitation, _ claim: Claim) async throws -> EnrollmentResponse {
        let authority = try await pinnedAuthority(invitation, proxy: claim.proxy)
        var settings = CurlSettings(origin: invitation.origin, trust: .pinned(authority))
        settings.proxy = claim.proxy
        let client = LibraryClient(try makeTransport(settings))
        // Fetched again, now that the server is authenticated: the receipt keys are as valuable as the authority.
        let keys = try await client.authority().receiptKeys
        // An invitation for a box whose enrolment has ended enrols it as a new device, with a new key.
        if invitation.token != nil, try await hasEnded(client, settings) { try folder.forgetDevice() }
        let levels = [claim.usage.add.map { _ in "addOnly" }, claim.usage.readWrite.map { _ in "readWrite" }]
        let answer = try await client.enroll(
            EnrollmentRequest(
                certificateRequest: try folder.signingRequest(),
                token: invitation.token,
                name: claim.name,
                build: claim.build,
                hardwareHints: [ContentHasher.digest(Array(HostIdentity.hardwareText().utf8)).description],
                usage: claim.usage,
                levels: levels.compactMap(\.self)
            )
        )
        // Only now: a refusal leaves the box unchanged. After an interruption here the library recognises the same
        // request.
        try folder.setPinned(.init(url: invitation.origin.description, authority: authority, receiptKeys: keys))
        try keep(answer)
        return answer
    }

    /// Polls the enrolment, and stores the result.
    ///
    /// One that the library no longer knows counts as expired: enrolling again continues it.
    package func poll(_ id: EnrollmentID, proxy: String?) async throws -> EnrollmentResponse {
        var settings = try folder.curlSettings(proxy: proxy)
        settings.identity = nil
        let client = LibraryClient(try makeTransport(settings))
        let answer: EnrollmentResponse
        do {
            answer = try await client.enrollment(id)
        } catch {
            guard error.code == .refused(.notFound) else { throw error }
            return EnrollmentResponse(id: id, state: .expired)
        }
        try keep(answer)
        return answer
    }

    /// Whether the library has rejected the box's former identity: by its enrolment, or, long after that, by its
    /// device.
    private func hasEnded(_ client: LibraryClient, _ settings: CurlSettings) async throws -> Bool {
        if let id = try folder.pendingEnrollment(), try await state(of: id, client) == .refused { return true }
        guard let device = try folder.device() else { return false }
        var settings = settings
        settings.identity = try .init(certificateChain: device.certificateChain, key: folder.key())
        let former = LibraryClient(try makeTransport(settings))
        do {
            return try await former.identityState().state == .revoked
        } catch {
            // A different library does not know the device, and does not accept this library's certificates.
            return error.code == .refused(.identityRevoked)
        }
    }

    /// An enrolment's status; nil if this library does not know it.
    private func state(of id: EnrollmentID, _ client: LibraryClient) async throws -> EnrollmentResponse.State? {
        do {
            return try await client.enrollment(id).state
        } catch {
            guard error.code == .refused(.notFound) else { throw error }
            return nil
        }
    }

    private func keep(_ answer: EnrollmentResponse) throws {
        if try folder.pendingEnrollment() != answer.id { try folder.setPendingEnrollment(answer.id) }
        if answer.state == .refused, try folder.refusedEnrollment() != answer.id {
            try folder.setRefusedEnrollment(answer.id)
        }
        guard answer.state == .active, let id = answer.deviceID, let chain = answer.certificateChain else { return }
        // An enrolment's certificates stay its first ones: a device's own are newer, perhaps of another key.
        guard try folder.device()?.id != id else { return }
        try folder.setDevice(.init(id: id, certificateChain: chain))
    }

    /// The authority's certificate, checked against the invited fingerprint.
    private func pinnedAuthority(_ invitation: Invitation, proxy: String?) async throws -> String {
        var settings = CurlSettings(origin: invitation.origin, trust: .anybody)
        settings.proxy = proxy
        let answer: AuthorityResponse
        do {
            answer = try await LibraryClient(try makeTransport(settings)).authority()
        } catch let error as LibraryClientError {
            let isNamed = error.message.contains(invitation.origin.description)
            throw AgentError(.unreachable, isNamed ? "\(error)" : "\(invitation.origin): \(error)")
        }
        for block in Self.certificates(in: answer.certificates) {
            let found = (try? IdentityCertificate(pem: block))?.fingerprint
            if found == invitation.fingerprint { return block }
        }
        throw AgentError(
            .unreachable,
            "\(invitation.origin) is not the invited library: its authority's fingerprint differs; nothing was sent"
        )
    }

    /// The PEM blocks of a text.
    private static func certificates(in text: String) -> [String] {
        let end = "-----END CERTIFICATE-----"
        var blocks: [String] = []
        var lines: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            lines.append(line)
            guard line == end else { continue }
            blocks.append(lines.joined(separator: "\n") + "\n")
            lines = []
        }
        return blocks
    }
}
