import LibraryAPI
package import PhotoModel

/// How the servers of one library divide their work: who is alive, and who does what only one needs to do.
///
/// A duty avoids double work but guarantees nothing: two servers may believe for a while that they have the same one.
package protocol LibraryDuties: Sendable {
    /// This run of a server; nil if no other can share the library.
    var server: Int64? { get }

    /// Joins the library's servers, before serving.
    ///
    /// - Throws: ``DutyError``; the database's errors.
    func join(_ server: ServerDescription) async throws

    /// Announces that this server is alive, and frees what dead ones held; called every ``DutyTimes/beat``.
    ///
    /// - Returns: how far this machine's clock is ahead of the database's.
    /// - Throws: the database's errors.
    func beat() async throws -> Duration

    /// Leaves, so that other servers take over at once.
    func leave() async throws

    /// The servers that joined and did not leave, without those silent for an hour.
    func servers() async throws -> [ServerPresence]

    /// Acquires a duty; true if this server has it already.
    ///
    /// - Returns: false while another live server has it.
    /// - Throws: the database's errors.
    func take(_ duty: Duty) async throws -> Bool

    /// Releases a duty.
    func giveBack(_ duty: Duty) async throws

    /// Throws unless this server may serve.
    func checkReadiness() throws
}

/// What one server of a library does at a time.
package enum Duty: String, Hashable, Sendable {
    /// Everything: the library's originals are in that server's folder.
    case library
    /// Hourly upkeep.
    case upkeep
    /// The daily sweep of originals against rows.
    case sweep
    /// A task that an operator started.
    case maintenance
}

/// Intervals and limits for servers that share a library.
package enum DutyTimes {
    /// How often a server announces that it is alive.
    package static let beat = Duration.seconds(5)
    /// How long a server may be silent before it counts as dead.
    package static let silence = Duration.seconds(15)
    /// The clock difference above which a warning is logged.
    package static let notedSkew = LibraryStatistics.Server.notedClockDifference
    /// The clock difference above which a server is not ready.
    package static let refusedSkew = LibraryStatistics.Server.refusedClockDifference
}

/// A server's description of itself.
package struct ServerDescription: Hashable, Sendable {
    /// The machine's name.
    package let host: String
    /// The program's version.
    package let version: String
    /// The folder of its keys, sockets and thumbnails.
    package let folder: String
    /// SHA-256 of the key that signs receipts, the same on every server of a library.
    package let authority: ContentDigest

    package init(host: String, version: String, folder: String, authority: ContentDigest) {
        self.host = host
        self.version = version
        self.folder = folder
        self.authority = authority
    }
}

/// A server of the library, as seen by the others.
package struct ServerPresence: Hashable, Sendable {
    /// The identifier of its run.
    package let id: Int64
    /// The machine's name.
    package let host: String
    /// The folder of its keys, sockets and thumbnails.
    package let folder: String
    /// The program's version.
    package let version: String
    /// When it last announced that it is alive, by the database's clock.
    package let seen: WallTime
    /// Whether that was recent enough to count as alive.
    package let isAlive: Bool
    /// How far its clock is ahead of the database's; nil until measured.
    package let clockAhead: Duration?
    /// What it does for the library; nothing while it counts as dead.
    package let duties: [Duty]
}

/// Why a server may not join the others.
package enum DutyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its keys are not those of the library's other servers.
    case foreignAuthority
    /// Another server has the library for itself; with its machine.
    case taken(host: String)

    /// What is wrong, and what to do.
    package var description: String {
        switch self {
        case .foreignAuthority:
            "the keys in its authority folder are not those of the library's other servers: copy theirs"
        case .taken(let host):
            "the server on \(host) has the library, whose originals are in its folder: stop that one, or keep originals in a "
                + "bucket"
        }
    }
}

/// The duties of a library that only one process opens: it has all of them.
struct SoleServerDuties: LibraryDuties {
    var server: Int64? { nil }

    func join(_ server: ServerDescription) {}
    func beat() -> Duration { .zero }
    func leave() {}
    func servers() -> [ServerPresence] { [] }
    func take(_ duty: Duty) -> Bool { true }
    func giveBack(_ duty: Duty) {}
    func checkReadiness() {}
}
