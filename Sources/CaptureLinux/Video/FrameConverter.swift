import Capture
import PhotoModel
import SystemPackage

/// Converts frames that only libv4lconvert understands.
final class FrameConverter {
    private let calls: any VideoDeviceCalls
    private let conversion: FrameConversion
    private let format: VideoFormat
    private var picture: [UInt8]

    /// Prepares for a format; nil if it needs no conversion.
    init?(_ granted: VideoDevice.Granted, _ device: VideoDevice) throws(CaptureError) {
        guard PixelFormat.convertible.contains(granted.format.pixelFormat) else { return nil }
        calls = device.calls
        format = granted.format
        conversion = try device.calling("convert frames of") { () throws(Errno) in
            try device.calls.openConversion(granted.descriptor)
        }
        picture = [UInt8](repeating: 0, count: format.size.planesByteCount)
    }

    deinit {
        calls.close(conversion)
    }

    /// Converts a frame and passes on its picture in the layout YU12; does nothing if the frame is damaged.
    func convert(_ frame: RawSpan, _ body: (RawSpan) -> Void) {
        let isWhole = calls.convert(conversion, frame, format, to: &picture)
        let bytes = isWhole ? picture : []
        unsafe body(bytes.span.bytes)
    }
}
