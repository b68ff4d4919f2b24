import CFileSystem

/// Guarantees of some kinds of file systems beyond POSIX.
package enum FileSystemKind {
    /// The statfs(2) types of file systems that keep inodes and change times: ext2 to ext4, XFS, Btrfs, F2FS, ZFS,
    /// tmpfs, overlayfs.
    private static let keepingIdentity: Set<Int> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, 0x794C_7630,
    ]

    /// File systems on which syncing a new or renamed file also makes its name durable, and those of new directories
    /// above it: ext2 to ext4, which commit the journal up to there, or sync the parents (`ext4_sync_parent`); XFS,
    /// whose log is in order; Btrfs, which logs the names of new inodes and of their new parents; F2FS, which writes a
    /// checkpoint.
    ///
    /// They also keep renames in order: a power cut never undoes an earlier one and keeps a later one.
    private static let namingWhatIsSynced: Set<Int> = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010]

    /// Whether a folder's file system preserves inodes and change times; false if unknown.
    package static func keepsIdentity(_ folder: Path) -> Bool {
        type(of: folder).map(keepingIdentity.contains) ?? false
    }

    /// Whether syncing a new or renamed file in a folder makes its name durable, and renames stay in order; false if
    /// unknown.
    package static func namesWhatIsSynced(in folder: Path) -> Bool {
        type(of: folder).map(namingWhatIsSynced.contains) ?? false
    }

    private static func type(of folder: Path) -> Int? {
        var status = statfs()
        return unsafe statfs(folder.systemBytes, &status) == 0 ? Int(status.f_type) : nil
    }
}
