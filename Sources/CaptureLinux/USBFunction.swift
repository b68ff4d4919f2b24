/// The part of a USB device that makes a node, as the kernel's sysfs shows it.
package struct USBFunction: Hashable, Sendable {
    /// The folder of the device in sysfs, which names its socket; all functions of one device have the same.
    package let device: String
    /// Which interface of the device, such as `1.0`.
    package let interface: String
    /// The serial number that the device tells; nil when it has none.
    package let serialNumber: String?
    /// The maker that the device tells; nil when it tells none.
    package let manufacturer: String?

    /// Describes a function.
    package init(device: String, interface: String, serialNumber: String?, manufacturer: String? = nil) {
        self.device = device
        self.interface = interface
        self.serialNumber = serialNumber
        self.manufacturer = manufacturer
    }

    /// The socket in the kernel's words, such as `usb-0000:00:14.0-1.3`: the host controller and the ports from there.
    ///
    /// The numbers of buses and devices are none: they are given anew at each start.
    package var socket: String {
        let parts = device.split(separator: "/")
        let ports = parts.last?.split(separator: "-", maxSplits: 1).last ?? ""
        let root = parts.lastIndex { $0.hasPrefix("usb") } ?? parts.endIndex
        let controller = root > parts.startIndex && root < parts.endIndex ? parts[root - 1] : ""
        return "usb-\(controller)-\(ports)"
    }
}
