import CFileSystem

/// What kinds of file systems promise beyond POSIX.
package enum FileSystemKind {
    /// The statfs(2) types of those that do: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs.
    private static let keepingIdentity: Set<Int> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, 0x794C_7630,
    ]

    /// Those for which syncing a new directory also makes its name durable: ext2 to ext4, since it commits the journal up
    /// to there, or the parents (`ext4_sync_parent`); XFS, whose log is in order; Btrfs, which logs the names of new
    /// inodes; F2FS, which writes a checkpoint.
    private static let namingNewDirectories: Set<Int> = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010]

    /// Whether a folder's file system preserves inodes and change times; false if unknown.
    package static func keepsIdentity(_ folder: Path) -> Bool {
        type(of: folder).map(keepingIdentity.contains) ?? false
    }

    /// Whether syncing a new directory in a folder makes its name there durable; false if unknown.
    package static func namesNewDirectories(in folder: Path) -> Bool {
        type(of: folder).map(namingNewDirectories.contains) ?? false
    }

    private static func type(of folder: Path) -> Int? {
        var status = statfs()
        return unsafe statfs(folder.text, &status) == 0 ? Int(status.f_type) : nil
    }
}
