import Capture

/// Stable identities of cameras and microphones: where the device is plugged in, what it is, and its serial number.
///
/// `usb-0000:00:14.0-3:1.0/HD Webcam/A1B2C3`. It takes all three, since cheap cameras share serial numbers, and since a
/// permission applies to a device in its place; never the number of a node or card, which changes with each replug. One
/// USB device may contain several cameras: as interfaces (`:1.0`), or as nodes of one interface (`+2`).
extension CaptureDevice.ID {
    /// Builds an identity from the bus and the position on it, the USB function if it is USB, the index among its
    /// nodes, and the driver's name.
    init(place: String, usb: USBFunction?, index: Int, name: String) {
        let function = usb.map { ":\($0.interface)" + (index > 0 ? "+\(index)" : "") } ?? ""
        let parts = [place + function, name] + (usb?.serialNumber.map { [$0] } ?? [])
        self.init(rawValue: parts.joined(separator: "/"))
    }

    /// The USB socket the device is plugged into; nil on another bus.
    var usbSocket: Substring? {
        let place = rawValue.prefix { $0 != "/" }
        guard place.hasPrefix("usb-"), let colon = place.lastIndex(of: ":") else { return nil }
        return place[..<colon]
    }
}
