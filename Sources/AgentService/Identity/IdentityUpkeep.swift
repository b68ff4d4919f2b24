import AgentStore
import BoxIdentity
import DeviceIdentity
import LibraryAPI
import LibraryClient
import Logging
import Persistence
package import PhotoModel

/// Renews the box's certificate, rotates its key, and erases the box when its library requests that.
///
/// Every step can be interrupted and repeated: renewal is idempotent; during rotation both keys are valid until the new
/// one is used, and the stored certificate determines the current one.
package struct IdentityUpkeep: Sendable {
    let folder: IdentityFolder
    /// The store to erase with the identity.
    let store: AgentStore
    let client: LibraryClient
    let pool: BlockingPool
    let logger: Logger

    /// Renews the certificate if due, even an expired one within the library's grace period, by the server's time if
    /// known, else the box's; returns whether it did.
    package func renewIfDue(now: WallTime) async throws -> Bool {
        guard let device = try await pool.run({ [folder] in try folder.device() }),
            CertificateSchedule(try IdentityCertificate(pem: device.certificateChain), jitter: device.id).isDue(at: now)
        else { return false }
        try await renew()
        return true
    }

    /// Gets a new certificate for the same key.
    package func renew() async throws {
        let request = try await pool.run { [folder] in try folder.signingRequest() }
        let answer = try await client.renew(CertificateRenewal(certificateRequest: request))
        try await pool.uncancelled { [folder] in try folder.replaceCertificates(answer.certificateChain) }
        try await learnAuthority()
        logger.notice("the certificate was renewed")
    }

    /// Fetches the next root and new receipt keys, over a connection authenticated by the pinned root.
    private func learnAuthority() async throws {
        let answer = try await client.authority()
        try await pool.uncancelled { [folder] in try folder.learn(answer) }
    }

    /// Rotates the key: the old one vouches for the new one, and is deleted once the new one has a certificate.
    package func rotate() async throws {
        let (request, proof) = try await pool.run { [folder] in try folder.nextSigningRequest() }
        let answer = try await client.rotate(CertificateRenewal(certificateRequest: request, proof: proof))
        try await pool.uncancelled { [folder] in try folder.replaceCertificates(answer.certificateChain) }
        logger.notice("the key was changed")
    }

    /// Erases queue, replica, cache and key if the library requested it, confirms to the library, and returns whether
    /// it did; after an error the next contact continues.
    package func wipeIfAsked() async throws -> Bool {
        guard try await client.identityState().wipe else { return false }
        logger.error("the library asked this box to erase itself: erasing queue, replica and key")
        try await pool.uncancelled { [store] in try store.erase() }
        // Confirmed while the key still exists; if the response is lost, the next contact finds nothing left to erase.
        try await client.confirmWipe()
        try await pool.uncancelled { [folder] in try folder.erase() }
        return true
    }
}

/// When to renew a certificate: after a third of its lifetime, spread over the following sixth so that a fleet does not
/// renew all at once.
package struct CertificateSchedule: Hashable, Sendable {
    /// When to renew it.
    package let renewal: WallTime

    /// Plans the renewal of a certificate valid between two times, spread by the jitter.
    package init(notBefore: WallTime, notAfter: WallTime, jitter: DeviceID) {
        let life = max(0, notAfter.microsecondsSince1970 - notBefore.microsecondsSince1970)
        let share = Int64(truncatingIfNeeded: jitter.rawValue % 1000)
        renewal = WallTime(microsecondsSince1970: notBefore.microsecondsSince1970 + life / 3 + life / 6000 * share)
    }

    /// Plans a certificate's renewal.
    init(_ certificate: IdentityCertificate, jitter: DeviceID) {
        self.init(notBefore: certificate.notBefore, notAfter: certificate.notAfter, jitter: jitter)
    }

    /// Whether it is due for renewal.
    package func isDue(at now: WallTime) -> Bool { now >= renewal }
}
