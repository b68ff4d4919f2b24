import CVideo4Linux
package import Capture
import Glibc
package import PhotoModel
package import SystemPackage

/// The real kernel calls.
package struct SystemVideoCalls: VideoDeviceCalls, SystemWaiting {
    private let sysfs: Sysfs

    /// Creates the calls; the root is the folder that contains `/sys` and `/run/udev`.
    package init(root: String = "") {
        sysfs = Sysfs(root: root)
    }

    /// Lists `/sys/class/video4linux`, by name.
    package func nodes() -> [VideoNode] {
        sysfs.entries(ofClass: "video4linux").filter { $0.hasPrefix("video") }.map { name in
            let entry = sysfs.folder(of: name, ofClass: "video4linux")
            return VideoNode(
                path: FilePath("/dev/\(name)"),
                name: Sysfs.line(of: "\(entry)/name") ?? "camera",
                driver: Sysfs.driver(of: entry),
                place: Sysfs.place(of: entry),
                usb: Sysfs.usbFunction(of: entry),
                index: Sysfs.line(of: "\(entry)/index").flatMap { Int($0) } ?? 0,
                isCapture: sysfs.udevProperty("ID_V4L_CAPABILITIES", of: entry).map { $0.contains(":capture:") }
            )
        }
    }

    /// The corresponding C function is `open`.
    package func open(_ path: FilePath) throws(Errno) -> VideoDescriptor {
        let result = unsafe tt_open_device(path.string)
        guard result >= 0 else { throw Errno(rawValue: -result) }
        return VideoDescriptor(rawValue: result)
    }

    /// The corresponding C function is `close`.
    package func close(_ descriptor: VideoDescriptor) {
        _ = Glibc.close(descriptor.rawValue)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_QUERYCAP`.
    package func capabilities(_ descriptor: VideoDescriptor) throws(Errno) -> VideoCapabilities {
        var value = v4l2_capability()
        try Self.call(descriptor, tt_VIDIOC_QUERYCAP, &value)
        return VideoCapabilities(
            card: Self.text(value.card),
            busInfo: Self.text(value.bus_info),
            flags: VideoCapabilities.Flags(rawValue: value.capabilities),
            deviceFlags: VideoCapabilities.Flags(rawValue: value.device_caps)
        )
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_ENUM_FMT`.
    package func format(
        _ descriptor: VideoDescriptor,
        index: UInt32
    ) throws(Errno) -> (format: PixelFormat, isEmulated: Bool) {
        var value = v4l2_fmtdesc()
        value.index = index
        value.type = descriptor.bufferType
        try Self.call(descriptor, tt_VIDIOC_ENUM_FMT, &value)
        return (PixelFormat(rawValue: value.pixelformat), value.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_ENUM_FRAMESIZES`.
    package func frameSize(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        index: UInt32
    ) throws(Errno) -> VideoSizes {
        var value = v4l2_frmsizeenum()
        value.index = index
        value.pixel_format = format.rawValue
        try Self.call(descriptor, tt_VIDIOC_ENUM_FRAMESIZES, &value)
        if value.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
            return .discrete(PixelSize(width: Int(value.discrete.width), height: Int(value.discrete.height)))
        }
        let range = value.stepwise
        return .range(
            smallest: PixelSize(width: Int(range.min_width), height: Int(range.min_height)),
            largest: PixelSize(width: Int(range.max_width), height: Int(range.max_height)),
            step: PixelSize(width: Int(range.step_width), height: Int(range.step_height))
        )
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_ENUM_FRAMEINTERVALS`.
    package func frameInterval(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        _ size: PixelSize,
        index: UInt32
    ) throws(Errno) -> VideoIntervals {
        var value = v4l2_frmivalenum()
        value.index = index
        value.pixel_format = format.rawValue
        value.width = UInt32(clamping: size.width)
        value.height = UInt32(clamping: size.height)
        try Self.call(descriptor, tt_VIDIOC_ENUM_FRAMEINTERVALS, &value)
        let isDiscrete = value.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        // A range is a single entry.
        guard isDiscrete || index == 0 else { throw .invalidArgument }
        if isDiscrete { return .discrete(try Self.interval(value.discrete)) }
        let range = value.stepwise
        return .range(shortest: try Self.interval(range.min), longest: try Self.interval(range.max))
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_S_PARM`.
    package func setFrameInterval(
        _ descriptor: VideoDescriptor,
        _ interval: FrameInterval
    ) throws(Errno) -> FrameInterval? {
        var value = v4l2_streamparm()
        value.type = descriptor.bufferType
        unsafe value.parm.capture.timeperframe = v4l2_fract(
            numerator: interval.numerator,
            denominator: interval.denominator
        )
        do throws(Errno) {
            try Self.call(descriptor, tt_VIDIOC_S_PARM, &value)
        } catch {
            if error == .invalidArgument || error.rawValue == ENOTTY { return nil }
            throw error
        }
        guard unsafe value.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else { return nil }
        let granted = unsafe value.parm.capture.timeperframe
        return FrameInterval(numerator: granted.numerator, denominator: granted.denominator)
    }

    private static func interval(_ fraction: v4l2_fract) throws(Errno) -> FrameInterval {
        guard let interval = FrameInterval(numerator: fraction.numerator, denominator: fraction.denominator) else {
            throw .invalidArgument
        }
        return interval
    }

    /// The corresponding C function is `ioctl`.
    static func call<Argument>(
        _ descriptor: VideoDescriptor,
        _ request: UInt,
        _ argument: inout Argument
    ) throws(Errno) {
        let number = unsafe withUnsafeMutablePointer(to: &argument) { pointer in
            unsafe tt_ioctl(descriptor.rawValue, request, pointer)
        }
        guard number == 0 else { throw Errno(rawValue: number) }
    }

    /// A fixed array of characters, which lacks its NUL if it is full.
    static func text<Characters>(_ characters: Characters) -> String {
        unsafe withUnsafeBytes(of: characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension VideoDescriptor {
    /// The kernel's buffer type for this interface.
    var bufferType: UInt32 {
        switch interface {
        case .singlePlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        case .multiPlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
        }
    }
}
