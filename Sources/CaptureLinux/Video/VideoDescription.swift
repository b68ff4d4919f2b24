package import Capture
package import PhotoModel
package import SystemPackage

/// A video node as the kernel's sysfs describes it, without opening it.
package struct VideoNode: Hashable, Sendable {
    /// For example `/dev/video0`; not an identity, since the number changes with every replug.
    package let path: FilePath
    /// What the driver calls it.
    package let name: String
    /// The kernel's driver of its device, such as `uvcvideo`; nil where it has none.
    package let driver: String?
    /// The bus and the device on it, such as `platform:vivid.0`.
    package let place: String
    /// The USB device behind it; nil for a camera that is on another bus.
    package let usb: USBFunction?
    /// Which of the nodes of its device it is, counted by the driver from 0.
    package let index: Int
    /// Whether it gives pictures, as udev found when it was plugged in; nil where there is no udev.
    package let isCapture: Bool?

    /// Describes a node.
    package init(
        path: FilePath,
        name: String,
        driver: String? = nil,
        place: String,
        usb: USBFunction? = nil,
        index: Int = 0,
        isCapture: Bool? = nil
    ) {
        self.path = path
        self.name = name
        self.driver = driver
        self.place = place
        self.usb = usb
        self.index = index
        self.isCapture = isCapture
    }

    /// What its device is known by for good.
    package var id: CaptureDevice.ID {
        CaptureDevice.ID(place: usb?.socket ?? place, usb: usb, index: index, name: name)
    }
}

/// What a device says of itself.
package struct VideoCapabilities: Hashable, Sendable {
    /// What a node can do (`V4L2_CAP_…`).
    package struct Flags: OptionSet, Hashable, Sendable {
        /// The kernel's bits.
        package let rawValue: UInt32
        /// Any bits.
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// It gives pictures in one plane of memory.
        package static let videoCapture = Flags(rawValue: 0x0000_0001)
        /// It gives pictures in several planes of memory.
        package static let videoCapturePlanes = Flags(rawValue: 0x0000_1000)
        /// It changes pictures in memory; no camera.
        package static let videoMemoryToMemory = Flags(rawValue: 0x0000_8000)
        /// The same in several planes of memory.
        package static let videoMemoryToMemoryPlanes = Flags(rawValue: 0x0000_4000)
        /// A media controller decides what it gives; no camera by itself.
        package static let mediaController = Flags(rawValue: 0x2000_0000)
        /// It streams through mapped buffers.
        package static let streaming = Flags(rawValue: 0x0400_0000)
        /// ``VideoCapabilities/deviceFlags`` is valid.
        package static let deviceCapabilities = Flags(rawValue: 0x8000_0000)
    }

    /// The maker's name of the device.
    package let card: String
    /// Where it is plugged in.
    package let busInfo: String
    /// What the whole device can do, over all its nodes.
    package let flags: Flags
    /// What this node can do.
    package let deviceFlags: Flags

    /// Describes a device.
    package init(card: String, busInfo: String, flags: Flags, deviceFlags: Flags) {
        self.card = card
        self.busInfo = busInfo
        self.flags = flags
        self.deviceFlags = deviceFlags
    }

    /// How to talk to this node as a camera; nil when it cannot be used as one.
    ///
    /// Metadata nodes, nodes that convert pictures in memory and nodes behind a media controller cannot.
    package var interface: VideoInterface? {
        guard nodeFlags.contains(.streaming), nodeFlags.isDisjoint(with: Self.noCamera) else { return nil }
        if nodeFlags.contains(.videoCapture) { return .singlePlanar }
        return nodeFlags.contains(.videoCapturePlanes) ? .multiPlanar : nil
    }

    private static let noCamera: Flags = [.videoMemoryToMemory, .videoMemoryToMemoryPlanes, .mediaController]

    /// What this node can do, told for it alone where the driver does that.
    var nodeFlags: Flags { flags.contains(.deviceCapabilities) ? deviceFlags : flags }
}

/// The sizes that one entry of a driver's list stands for.
package enum VideoSizes: Hashable, Sendable {
    /// One size.
    case discrete(PixelSize)
    /// All sizes between two, in steps.
    case range(smallest: PixelSize, largest: PixelSize, step: PixelSize)
}

/// The intervals that one entry of a driver's list stands for.
package enum VideoIntervals: Hashable, Sendable {
    /// One interval.
    case discrete(FrameInterval)
    /// All intervals between two.
    case range(shortest: FrameInterval, longest: FrameInterval)
}

/// A format as the driver is asked for it and answers.
package struct VideoFormat: Hashable, Sendable {
    /// How the samples lie.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// Bytes from one row to the next of each plane of memory, which may be more than the pixels need.
    ///
    /// Empty when it does not matter; 0 for compressed frames.
    package var bytesPerLine: [Int]
    /// Whether luma uses 0 to 255.
    package var isFullRange: Bool

    /// Describes a format.
    package init(pixelFormat: PixelFormat, size: PixelSize, bytesPerLine: [Int] = [], isFullRange: Bool = false) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.bytesPerLine = bytesPerLine
        self.isFullRange = isFullRange
    }
}

/// A control as a driver tells it, with what the session cannot use marked.
package struct VideoControl: Hashable, Sendable {
    /// What can be set.
    package let control: CaptureControl
    /// Whether it has a number that can be read and set; headings, buttons and texts have none.
    package let isNumeric: Bool
    /// Whether the items of its menu are numbers instead of names.
    package let isMenuOfNumbers: Bool

    /// Describes a control.
    package init(control: CaptureControl, isNumeric: Bool, isMenuOfNumbers: Bool = false) {
        self.control = control
        self.isNumeric = isNumeric
        self.isMenuOfNumbers = isMenuOfNumbers
    }
}
