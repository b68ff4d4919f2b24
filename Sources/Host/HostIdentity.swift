package import PhotoModel

/// What identifies this machine and its boot.
package enum HostIdentity {
    /// The kernel's identifier of this boot.
    package static func bootID() -> BootID? {
        line(of: "/proc/sys/kernel/random/boot_id").flatMap { BootID($0) }
    }

    /// The host's name.
    package static func name() -> String {
        line(of: "/proc/sys/kernel/hostname") ?? "camera"
    }

    /// What distinguishes this machine from a copy of its disk: the machine id and the board's serial number, if
    /// readable.
    package static func hardwareText() -> String {
        ["/etc/machine-id", "/sys/class/dmi/id/product_uuid", "/proc/device-tree/serial-number"]
            .compactMap(line).joined(separator: "\n")
    }

    private static func line(of path: String) -> String? {
        let line = KernelFile.text(of: path, limit: 256)?.unicodeScalars.prefix { $0.value >= 0x20 }
        return line.flatMap { $0.isEmpty ? nil : String($0) }
    }
}
