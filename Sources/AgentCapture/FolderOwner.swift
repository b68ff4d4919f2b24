package import Glibc
package import Persistence

/// Whose the agent's folder is.
package enum FolderOwner {
    /// Refuses to let root work in another user's folder: that user's service could not use the files that root leaves.
    ///
    /// A folder that does not exist becomes the caller's.
    ///
    /// - Throws: `configuration`, with the user to run the command as.
    package static func check(_ folder: Path, as user: uid_t = geteuid()) throws(AgentError) {
        var status = stat()
        guard user == 0, unsafe stat(folder.text, &status) == 0, status.st_uid != 0 else { return }
        let entry = unsafe getpwuid(status.st_uid)
        let name = unsafe entry.flatMap { unsafe $0.pointee.pw_name }.map { unsafe String(cString: $0) }
        let owner = name ?? "'#\(status.st_uid)'"
        throw AgentError(
            .configuration,
            "\(folder) belongs to the user \(owner), who could not use what root leaves there: "
                + "run the command as that user, with sudo -u \(owner)"
        )
    }
}
