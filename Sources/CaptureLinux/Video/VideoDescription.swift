package import Capture
package import PhotoModel
package import SystemPackage

/// A video node as described in sysfs, without opening it.
package struct VideoNode: Hashable, Sendable {
    /// For example `/dev/video0`; not an identity, since the number changes with every replug.
    package let path: FilePath
    /// The driver's name for it.
    package let name: String
    /// Its kernel driver, such as `uvcvideo`; nil if none.
    package var driver: String?
    /// The bus and the position on it, such as `platform:vivid.0`.
    package let place: String
    /// The USB device behind it; nil on another bus.
    package var usb: USBFunction?
    /// Its index among the nodes of its device, counted by the driver from 0.
    package var index = 0
    /// Whether it delivers pictures, as udev found when it was plugged in; nil without udev.
    package var isCapture: Bool?

    /// Its device's stable identity.
    package var id: CaptureDevice.ID {
        CaptureDevice.ID(place: usb?.socket ?? place, usb: usb, index: index, name: name)
    }
}

/// A device's reported capabilities.
package struct VideoCapabilities: Hashable, Sendable {
    /// A node's capabilities (`V4L2_CAP_…`).
    package struct Flags: OptionSet, Hashable, Sendable {
        /// The kernel's bits.
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It captures into one memory plane.
        package static let videoCapture = Flags(rawValue: 0x0000_0001)
        /// It captures into several memory planes.
        package static let videoCapturePlanes = Flags(rawValue: 0x0000_1000)
        /// It converts pictures in memory; not a camera.
        package static let videoMemoryToMemory = Flags(rawValue: 0x0000_8000)
        /// The same with several memory planes.
        package static let videoMemoryToMemoryPlanes = Flags(rawValue: 0x0000_4000)
        /// A media controller determines its input; not a camera by itself.
        package static let mediaController = Flags(rawValue: 0x2000_0000)
        /// It streams through mapped buffers.
        package static let streaming = Flags(rawValue: 0x0400_0000)
        /// ``VideoCapabilities/deviceFlags`` is valid.
        package static let deviceCapabilities = Flags(rawValue: 0x8000_0000)
    }

    /// The product name.
    package let card: String
    /// The bus position.
    package let busInfo: String
    /// The capabilities of the whole device, over all its nodes.
    package let flags: Flags
    /// The capabilities of this node.
    package let deviceFlags: Flags

    /// The interface to use this node as a camera; nil if it is not usable as one.
    ///
    /// Metadata nodes, nodes that convert pictures in memory and nodes behind a media controller are not.
    package var interface: VideoInterface? {
        guard nodeFlags.contains(.streaming), nodeFlags.isDisjoint(with: Self.noCamera) else { return nil }
        if nodeFlags.contains(.videoCapture) { return .singlePlanar }
        return nodeFlags.contains(.videoCapturePlanes) ? .multiPlanar : nil
    }

    private static let noCamera: Flags = [.videoMemoryToMemory, .videoMemoryToMemoryPlanes, .mediaController]

    /// This node's own capabilities, if the driver reports them.
    var nodeFlags: Flags { flags.contains(.deviceCapabilities) ? deviceFlags : flags }
}

/// The sizes in one entry of a driver's list.
package enum VideoSizes: Hashable, Sendable {
    /// One size.
    case discrete(PixelSize)
    /// All sizes between two, in steps.
    case range(smallest: PixelSize, largest: PixelSize, step: PixelSize)
}

/// The intervals in one entry of a driver's list.
package enum VideoIntervals: Hashable, Sendable {
    /// One interval.
    case discrete(FrameInterval)
    /// All intervals between two.
    case range(shortest: FrameInterval, longest: FrameInterval)
}

/// A requested or granted format.
package struct VideoFormat: Hashable, Sendable {
    /// The pixel format.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// The row stride of each memory plane in bytes, which may exceed the pixels.
    ///
    /// Empty if it does not matter; 0 for compressed frames.
    package var bytesPerLine: [Int] = []
    /// Whether luma uses 0 to 255.
    package var isFullRange = false
}

/// A control as reported by a driver, with unusable ones marked.
package struct VideoControl: Hashable, Sendable {
    /// The control.
    package let control: CaptureControl
    /// Whether it has a number that can be read and set; headings, buttons and texts do not.
    package let isNumeric: Bool
    /// Whether the items of its menu are numbers instead of names.
    package var isMenuOfNumbers = false
}
