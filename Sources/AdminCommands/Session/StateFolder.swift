import Persistence

/// The user's folder for the commands' state (XDG Base Directory Specification, section 3), created if missing.
struct StateFolder {
    let path: Path
    let fileSystem: any FileSystem

    /// The folder of a session's user.
    init(_ session: AdminSession) throws {
        let state = session.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        path = Path(state ?? "\(session.environment["HOME"] ?? "/root")/.local/state").appending("tintype")
        fileSystem = session.fileSystem
        try fileSystem.createDirectories(path)
    }
}
