package import Capture
import PhotoModel
import SystemPackage

/// Finds the cameras of this machine.
package struct VideoCameraDiscovery: Sendable {
    /// The most entries that are read of any list of a driver, which may be endless.
    static let longestList: UInt32 = 128

    private let calls: any VideoDeviceCalls
    private let clock: any CaptureClock

    /// A search.
    package init(calls: any VideoDeviceCalls = SystemVideoCalls(), clock: any CaptureClock) {
        self.calls = calls
        self.clock = clock
    }

    /// The cameras there are now; nodes that cannot be opened or are no cameras are left out.
    package func cameras() -> [VideoCamera] {
        calls.nodes().compactMap { node in
            guard let device = device(at: node), !device.formats.isEmpty else { return nil }
            return VideoCamera(device: device, calls: calls, clock: clock)
        }
    }

    /// The node that a camera has now, which is another one after each replug.
    func node(of id: CaptureDevice.ID) -> VideoNode? {
        calls.nodes().first { node in
            guard let descriptor = try? calls.open(node.path) else { return false }
            defer { calls.close(descriptor) }
            guard let capabilities = try? calls.capabilities(descriptor), capabilities.isCamera else { return false }
            return Self.identity(capabilities, node) == id
        }
    }

    private func device(at node: VideoNode) -> CaptureDevice? {
        guard let descriptor = try? calls.open(node.path) else { return nil }
        defer { calls.close(descriptor) }
        guard let capabilities = try? calls.capabilities(descriptor), capabilities.isCamera else { return nil }
        return CaptureDevice(
            id: Self.identity(capabilities, node),
            capability: .camera,
            model: capabilities.card,
            serialNumber: node.serialNumber,
            formats: formats(of: descriptor),
            controls: controls(of: descriptor)
        )
    }

    /// The controls that have a number, in the driver's order.
    private func controls(of descriptor: VideoDescriptor) -> [CaptureControl] {
        var controls: [CaptureControl] = []
        var last: UInt32 = 0
        // A driver must answer with a higher number each time; one that does not would be asked for ever.
        while let found = try? calls.control(descriptor, after: last), found.control.id > last,
            controls.count < Int(Self.longestList)
        {
            last = found.control.id
            if found.isNumeric { controls.append(found.control) }
        }
        return controls
    }

    /// With a serial number the camera is the same in any socket; without one, the socket is part of what it is.
    private static func identity(_ capabilities: VideoCapabilities, _ node: VideoNode) -> CaptureDevice.ID {
        let place = node.serialNumber.map { "serial-\($0)" } ?? capabilities.busInfo
        return CaptureDevice.ID(rawValue: "\(capabilities.card)/\(place)")
    }

    /// Formats that the session can use, compressed ones first, then the largest and the fastest.
    private func formats(of descriptor: VideoDescriptor) -> [CaptureFormat] {
        let usable: [PixelFormat] = [.motionJPEG, .jpeg, .yuyv, .uyvy, .nv12, .nv21, .i420, .grey, .rgb24]
        var found: [CaptureFormat] = []
        for pixelFormat in list({ index throws(Errno) in try calls.format(descriptor, index: index) })
        where !pixelFormat.isEmulated && usable.contains(pixelFormat.format) {
            let sizes = list { index throws(Errno) in
                try calls.frameSize(descriptor, pixelFormat.format, index: index)
            }
            for size in sizes.map(\.best) {
                let intervals = list { index throws(Errno) in
                    try calls.frameInterval(descriptor, pixelFormat.format, size, index: index)
                }
                for interval in intervals.isEmpty ? [.thirtiethSecond] : intervals {
                    found.append(CaptureFormat(pixelFormat: pixelFormat.format, size: size, frameInterval: interval))
                }
            }
        }
        func rank(_ format: CaptureFormat) -> (Int, Int, Double) {
            (
                format.pixelFormat.isJPEG ? 0 : 1, -format.size.width * format.size.height,
                format.frameInterval.duration.inSeconds
            )
        }
        return found.sorted { rank($0) < rank($1) }
    }

    /// Reads a driver's list until it answers with any error.
    private func list<Entry>(_ entry: (UInt32) throws(Errno) -> Entry) -> [Entry] {
        var entries: [Entry] = []
        for index in 0..<Self.longestList {
            guard let found = try? entry(index) else { break }
            entries.append(found)
        }
        return entries
    }
}

extension VideoSizes {
    /// One size for an entry: the largest of a range.
    fileprivate var best: PixelSize {
        switch self {
        case .discrete(let size): size
        case .range(_, let largest, _): largest
        }
    }
}
