import CVideo4Linux
import Capture
import PhotoModel
package import SystemPackage

/// The calls that negotiate a format.
extension SystemVideoCalls {
    /// The corresponding C function is `ioctl` with `VIDIOC_S_FMT`.
    package func setFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat {
        try Self.negotiate(descriptor, tt_VIDIOC_S_FMT, format)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_TRY_FMT`.
    package func tryFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat {
        try Self.negotiate(descriptor, tt_VIDIOC_TRY_FMT, format)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_QUERY_DV_TIMINGS` and `VIDIOC_S_DV_TIMINGS`.
    package func adoptTimings(_ descriptor: VideoDescriptor) throws(Errno) {
        var timings = v4l2_dv_timings()
        try Self.call(descriptor, tt_VIDIOC_QUERY_DV_TIMINGS, &timings)
        try Self.call(descriptor, tt_VIDIOC_S_DV_TIMINGS, &timings)
    }

    private static func negotiate(
        _ descriptor: VideoDescriptor,
        _ request: UInt,
        _ format: VideoFormat
    ) throws(Errno) -> VideoFormat {
        var value = unsafe v4l2_format()
        unsafe value.type = descriptor.bufferType
        switch descriptor.interface {
        case .singlePlanar:
            unsafe value.fmt.pix.width = UInt32(clamping: format.size.width)
            unsafe value.fmt.pix.height = UInt32(clamping: format.size.height)
            unsafe value.fmt.pix.pixelformat = format.pixelFormat.rawValue
            unsafe value.fmt.pix.field = V4L2_FIELD_ANY.rawValue
            try unsafe call(descriptor, request, &value)
            return VideoFormat(unsafe value.fmt.pix)
        case .multiPlanar:
            unsafe value.fmt.pix_mp.width = UInt32(clamping: format.size.width)
            unsafe value.fmt.pix_mp.height = UInt32(clamping: format.size.height)
            unsafe value.fmt.pix_mp.pixelformat = format.pixelFormat.rawValue
            unsafe value.fmt.pix_mp.field = V4L2_FIELD_ANY.rawValue
            try unsafe call(descriptor, request, &value)
            return VideoFormat(unsafe value.fmt.pix_mp)
        }
    }
}

extension VideoFormat {
    /// The granted format.
    fileprivate init(_ granted: v4l2_pix_format) {
        self.init(
            pixelFormat: PixelFormat(rawValue: granted.pixelformat),
            size: PixelSize(width: Int(granted.width), height: Int(granted.height)),
            bytesPerLine: [Int(granted.bytesperline)],
            isFullRange: granted.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
        )
    }

    /// The granted format, with all its memory planes.
    fileprivate init(_ granted: v4l2_pix_format_mplane) {
        let planes = granted.plane_fmt
        let lines = unsafe withUnsafeBytes(of: planes) { bytes in
            unsafe Array(bytes.bindMemory(to: v4l2_plane_pix_format.self).prefix(Int(granted.num_planes)))
        }
        self.init(
            pixelFormat: PixelFormat(rawValue: granted.pixelformat),
            size: PixelSize(width: Int(granted.width), height: Int(granted.height)),
            bytesPerLine: lines.map { Int($0.bytesperline) },
            isFullRange: UInt32(granted.quantization) == V4L2_QUANTIZATION_FULL_RANGE.rawValue
        )
    }
}
