package import PhotoModel

/// What the servers of one library divide among themselves: who is there, and who does what only one needs to do.
///
/// A duty spares double work and makes nothing safe: two servers may believe for a while that they have the same one.
package protocol LibraryDuties: Sendable {
    /// This run of a server; nil if no other can share the library.
    var server: Int64? { get }

    /// Joins the library's servers, before anything is served.
    ///
    /// - Parameter server: who joins.
    /// - Throws: ``DutyError``; the database's errors.
    func join(_ server: ServerDescription) async throws

    /// Says that this server is alive, and frees what dead ones held; every ``DutyTimes/beat``.
    ///
    /// - Returns: how far this machine's clock is ahead of the database's.
    /// - Throws: the database's errors.
    func beat() async throws -> Duration

    /// Leaves: other servers take over at once.
    func leave() async throws

    /// The servers that joined and did not leave, those not heard of for long left out.
    func servers() async throws -> [ServerPresence]

    /// Takes a duty, or finds that this server has it.
    ///
    /// - Parameter duty: the duty.
    /// - Returns: false while another server that is alive has it.
    /// - Throws: the database's errors.
    func take(_ duty: Duty) async throws -> Bool

    /// Ends a duty.
    func giveBack(_ duty: Duty) async throws

    /// Throws unless this server may serve.
    func checkReadiness() throws
}

/// What one server of a library does at a time.
package enum Duty: String, Hashable, Sendable {
    /// Everything: the library's originals are in a folder of that server.
    case library
    /// Hourly upkeep.
    case upkeep
    /// The daily sweep of originals against rows.
    case sweep
    /// A task that an operator started.
    case maintenance
}

/// How long the servers of a library wait for each other.
package enum DutyTimes {
    /// How often a server says that it is alive.
    package static let beat = Duration.seconds(5)
    /// A server is taken for dead after so long.
    package static let silence = Duration.seconds(15)
    /// The difference of clocks that is logged.
    package static let notedSkew = Duration.seconds(2)
    /// The difference of clocks with which a server is not ready.
    package static let refusedSkew = Duration.seconds(10)
}

/// A server as it joins.
package struct ServerDescription: Hashable, Sendable {
    /// The machine's name.
    package let host: String
    /// The program's version.
    package let version: String
    /// The folder of its keys, sockets and thumbnails.
    package let folder: String
    /// SHA-256 of the key whose signature receipts carry, the same on every server of a library.
    package let authority: ContentDigest

    package init(host: String, version: String, folder: String, authority: ContentDigest) {
        self.host = host
        self.version = version
        self.folder = folder
        self.authority = authority
    }
}

/// A server of the library, as the others see it.
package struct ServerPresence: Hashable, Sendable {
    /// This run of it.
    package let id: Int64
    /// The machine's name.
    package let host: String
    /// The program's version.
    package let version: String
    /// When it said last that it is alive, by the database's clock.
    package let seen: WallTime
    /// Whether that is so short ago that it counts as alive.
    package let isAlive: Bool
}

/// Why a server may not join the others.
package enum DutyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has other keys than the library's servers.
    case foreignAuthority
    /// Another server serves the library alone; its machine.
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
