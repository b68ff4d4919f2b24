package import AgentStore
import DeviceIdentity
import LibraryAPI
package import LibraryClient
package import Logging
package import Persistence
package import PhotoLibrary
package import PhotoModel

/// Keeps the box's certificate fresh, changes its key, and erases the box when its library asks for that.
///
/// Every step may be cut off and repeated: renewal is idempotent; with rotation both keys are good until the new one is
/// used, and which one counts is what the stored certificate says.
package struct IdentityUpkeep: Sendable {
    private let folder: IdentityFolder
    private let store: AgentStore
    private let client: LibraryClient
    private let pool: BlockingPool
    private let logger: Logger

    /// The upkeep of an identity.
    ///
    /// - Parameters:
    ///   - folder: who the box is.
    ///   - store: what is erased with it.
    ///   - client: calls as the box.
    ///   - pool: where blocking calls run.
    ///   - logger: told of what was done.
    package init(
        folder: IdentityFolder,
        store: AgentStore,
        client: LibraryClient,
        pool: BlockingPool,
        logger: Logger
    ) {
        self.folder = folder
        self.store = store
        self.client = client
        self.pool = pool
        self.logger = logger
    }

    /// Renews the certificate when it is time to; also one that has expired, as long as the library's grace lasts.
    ///
    /// - Parameter now: the server's time where it is known, else the box's.
    /// - Returns: whether there is a new certificate.
    /// - Throws: what the library or the disk says.
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

    /// Learns the root that is to follow and keys that sign receipts, from the connection that the pinned root vouches for.
    private func learnAuthority() async throws {
        let answer = try await client.authority()
        try await pool.uncancelled { [folder] in
            guard var pinned = try folder.pinned() else { return }
            pinned.authority = answer.certificates
            // Receipts of earlier keys stay good.
            let new = answer.receiptKeys.filter { !pinned.receiptKeys.contains($0) }
            pinned.receiptKeys += new
            try folder.setPinned(pinned)
        }
    }

    /// Changes the key: the old one vouches for the new one, and is gone once the new one has a certificate.
    package func rotate() async throws {
        let (request, proof) = try await pool.run { [folder] in try folder.nextSigningRequest() }
        let answer = try await client.rotate(CertificateRenewal(certificateRequest: request, proof: proof))
        try await pool.uncancelled { [folder] in try folder.replaceCertificates(answer.certificateChain) }
        logger.notice("the key was changed")
    }

    /// Erases queue, replica, cache and key when the library has asked for it, and tells the library.
    ///
    /// - Returns: whether the box is none of the library's devices any more.
    /// - Throws: what the library or the disk says; the next contact goes on.
    package func wipeIfAsked() async throws -> Bool {
        guard try await client.identityState().wipe else { return false }
        logger.error("the library asks this box to erase itself: queue, replica and key go now")
        try await pool.uncancelled { [store] in try store.erase() }
        // Told with the key that still exists; should the answer be lost, the next contact finds nothing left to erase.
        try await client.confirmWipe()
        try await pool.uncancelled { [folder] in try folder.erase() }
        return true
    }
}

/// When a certificate is renewed: from a third of its life on, spread over the sixth behind it so that a fleet does not come
/// at once.
package struct CertificateSchedule: Hashable, Sendable {
    /// From when on it is renewed.
    package let renewal: WallTime
    /// From when on its age is worth a warning: two thirds of its life.
    package let warning: WallTime

    /// Plans for a certificate's life.
    ///
    /// - Parameters:
    ///   - notBefore: its beginning.
    ///   - notAfter: its end.
    ///   - jitter: what spreads the renewals.
    package init(notBefore: WallTime, notAfter: WallTime, jitter: DeviceID) {
        let life = max(0, notAfter.microsecondsSince1970 - notBefore.microsecondsSince1970)
        let share = Int64(truncatingIfNeeded: jitter.rawValue % 1000)
        renewal = WallTime(microsecondsSince1970: notBefore.microsecondsSince1970 + life / 3 + life / 6000 * share)
        warning = WallTime(microsecondsSince1970: notBefore.microsecondsSince1970 + life / 3 * 2)
    }

    /// Plans for a certificate.
    init(_ certificate: IdentityCertificate, jitter: DeviceID) {
        self.init(notBefore: certificate.notBefore, notAfter: certificate.notAfter, jitter: jitter)
    }

    /// Whether it is to be renewed.
    package func isDue(at now: WallTime) -> Bool { now >= renewal }
}
