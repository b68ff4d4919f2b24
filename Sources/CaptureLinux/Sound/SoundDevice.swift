package import Capture

/// A sound device that can record, as the kernel describes it.
package struct SoundDevice: Hashable, Sendable {
    /// The kernel's word for its card, such as `C920`; two equal cards have different words.
    package let card: String
    /// Which device of the card.
    package let number: Int
    /// The maker's name of the card.
    package let name: String
    /// The bus and the place on it.
    package let place: String
    /// The USB device behind it; nil on another bus.
    package let usb: USBFunction?

    /// Describes a device.
    package init(card: String, number: Int, name: String, place: String, usb: USBFunction? = nil) {
        self.card = card
        self.number = number
        self.name = name
        self.place = place
        self.usb = usb
    }

    /// What it is known by for good.
    package var id: CaptureDevice.ID {
        let device = number == 0 ? place : "\(place),\(number)"
        return CaptureDevice.ID(place: usb?.socket ?? device, usb: usb, index: number, name: name)
    }
}

/// An open sound device.
package struct SoundDescriptor: Hashable, Sendable {
    /// The handle's address.
    package let rawValue: Int
    /// Wraps a handle.
    package init(rawValue: Int) { self.rawValue = rawValue }
}

/// How far a recording has come.
package struct SoundPosition: Hashable, Sendable {
    /// How many samples of each channel wait to be read.
    package var availableFrameCount: Int
    /// When the newest of them was taken, by the driver's monotonic clock.
    package var timestamp: MonotonicTime

    /// Describes a position.
    package init(availableFrameCount: Int, timestamp: MonotonicTime) {
        self.availableFrameCount = availableFrameCount
        self.timestamp = timestamp
    }
}
