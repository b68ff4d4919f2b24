package import Capture

/// A recording device, as described by the kernel.
package struct SoundDevice: Hashable, Sendable {
    /// The kernel's identifier of its card, such as `C920`; two identical cards have different ones.
    package let card: String
    /// The device's number on the card.
    package let number: Int
    /// The card's product name.
    package let name: String
    /// The bus and the position on it.
    package let place: String
    /// The USB device behind it; nil on another bus.
    package var usb: USBFunction?

    /// Its stable identity.
    package var id: CaptureDevice.ID {
        let device = number == 0 ? place : "\(place),\(number)"
        return CaptureDevice.ID(place: usb?.socket ?? device, usb: usb, index: number, name: name)
    }
}

/// An open sound device.
package struct SoundDescriptor: Hashable, Sendable {
    /// The handle's address.
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}

/// The position of a recording.
package struct SoundPosition: Hashable, Sendable {
    /// The number of unread samples per channel.
    package var availableFrameCount: Int
    /// When the newest of them was captured, by the driver's monotonic clock.
    package var timestamp: MonotonicTime
}
