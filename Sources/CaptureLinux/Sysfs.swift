import CVideo4Linux
import Glibc
import Host

/// Reads the kernel's device descriptions (Documentation/ABI, sysfs-bus-usb).
struct Sysfs: Sendable {
    /// The folder that contains `/sys` and `/run/udev`; empty for the machine's own.
    var root = ""

    /// The folder of a class entry.
    func folder(of entry: String, ofClass name: String) -> String { "\(root)/sys/class/\(name)/\(entry)" }

    /// The entries of a class, such as `video4linux`, by name.
    func entries(ofClass name: String) -> [String] {
        guard let folder = unsafe opendir("\(root)/sys/class/\(name)") else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The USB function behind a class entry; nil on another bus.
    ///
    /// The entry's device is a USB interface, named for example `1-3:1.0`; its parent is the USB device.
    static func usbFunction(of entry: String) -> USBFunction? {
        guard let interface = resolved("\(entry)/device"), let slash = interface.lastIndex(of: "/"),
            let colon = interface[slash...].lastIndex(of: ":")
        else { return nil }
        let device = String(interface[..<slash])
        guard line(of: "\(device)/idVendor") != nil else { return nil }
        return USBFunction(
            device: device,
            interface: String(interface[interface.index(after: colon)...]),
            serialNumber: line(of: "\(device)/serial"),
            manufacturer: line(of: "\(device)/manufacturer")
        )
    }

    /// The bus and name of an entry's device, such as `platform:vivid.0`; `virtual` if it has none.
    static func place(of entry: String) -> String {
        guard let device = resolved("\(entry)/device"), let name = device.split(separator: "/").last else {
            return "virtual"
        }
        let bus = resolved("\(entry)/device/subsystem").flatMap { $0.split(separator: "/").last } ?? "device"
        return "\(bus):\(name)"
    }

    /// The driver bound to an entry's device; nil if none.
    static func driver(of entry: String) -> String? {
        resolved("\(entry)/device/driver").flatMap { $0.split(separator: "/").last }.map { String($0) }
    }

    /// A udev property of a character device's class entry; nil without udev.
    ///
    /// Its database has one file per device, named by the device's number, with lines `E:NAME=value`.
    func udevProperty(_ name: String, of entry: String) -> String? {
        guard let number = Self.line(of: "\(entry)/dev") else { return nil }
        return Self.property(name, in: Self.text(of: "\(root)/run/udev/data/c\(number)"))
    }

    /// A property from a file of udev's database; empty if the file has only others, nil if the file is empty.
    static func property(_ name: String, in text: String) -> String? {
        guard !text.isEmpty else { return nil }
        let prefix = "E:\(name)="
        let line = text.split(separator: "\n").first { $0.hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count)) } ?? ""
    }

    /// The corresponding C function is `realpath`.
    static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// The first line of a small file; nil if unreadable or empty.
    static func line(of path: String) -> String? {
        let line = text(of: path).prefix { $0 != "\n" }
        return line.isEmpty ? nil : String(line)
    }

    /// The beginning of a file, at most 16 KiB; empty if unreadable.
    static func text(of path: String) -> String { KernelFile.text(of: path, limit: 16_384) ?? "" }
}
