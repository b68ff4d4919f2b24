import CFileSystem

/// Whether file systems keep inodes and change times.
package enum FileSystemKind {
    /// The numbers of statfs(2) for what does: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs.
    private static let keepingIdentity: Set<Int> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, 0x794C_7630,
    ]

    /// Whether the file system that holds a folder keeps them; false where that cannot be told.
    package static func keepsIdentity(_ folder: Path) -> Bool {
        var status = statfs()
        guard unsafe statfs(folder.text, &status) == 0 else { return false }
        return keepingIdentity.contains(Int(status.f_type))
    }
}
