import CFileSystem

/// Whether file systems preserve inodes and change times.
package enum FileSystemKind {
    /// The statfs(2) types of those that do: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs.
    private static let keepingIdentity: Set<Int> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, 0x794C_7630,
    ]

    /// Whether a folder's file system preserves them; false if unknown.
    package static func keepsIdentity(_ folder: Path) -> Bool {
        var status = statfs()
        guard unsafe statfs(folder.text, &status) == 0 else { return false }
        return keepingIdentity.contains(Int(status.f_type))
    }
}
