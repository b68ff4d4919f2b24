/// The USB function behind a node, as described in sysfs.
package struct USBFunction: Hashable, Sendable {
    /// The device's sysfs folder, which names its socket; the same for all functions of a device.
    package let device: String
    /// The interface of the device, such as `1.0`.
    package let interface: String
    /// The serial number, as reported by the device; nil if none.
    package let serialNumber: String?
    /// The manufacturer, as reported by the device; nil if none.
    package var manufacturer: String?

    /// The socket in the kernel's notation, such as `usb-0000:00:14.0-1.3`: the host controller and the ports from
    /// there.
    ///
    /// Bus and device numbers are useless: they are reassigned at each boot.
    package var socket: String {
        let parts = device.split(separator: "/")
        let ports = parts.last?.split(separator: "-", maxSplits: 1).last ?? ""
        let root = parts.lastIndex { $0.hasPrefix("usb") } ?? parts.endIndex
        let controller = root > parts.startIndex && root < parts.endIndex ? parts[root - 1] : ""
        return "usb-\(controller)-\(ports)"
    }
}
