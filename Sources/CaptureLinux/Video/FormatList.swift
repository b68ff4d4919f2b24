import Capture
import PhotoModel
import SystemPackage

/// A camera's usable formats, best first.
///
/// Best is not largest: a camera that delivers its largest size twice a second is useless by default. Formats that
/// reach 25 frames a second come first, then those that reach 15, then the rest by rate. Among equals, compressed
/// frames precede raw ones, raw ones beyond Full HD come last, larger precede smaller, and those nearest to 30 frames a
/// second precede faster and slower ones; the final criterion is the cost of compression.
struct FormatList {
    /// The most entries read from any driver list, which may be endless.
    static let longest: UInt32 = 128
    /// The sizes offered from a range, besides its ends.
    private static let commonSizes = [
        (3840, 2160), (2560, 1440), (1920, 1080), (1280, 720), (1024, 768), (800, 600), (640, 480), (320, 240),
    ]
    .map { PixelSize(width: $0.0, height: $0.1) }
    /// The rates offered from a range of intervals, besides its ends, in frames a second.
    private static let commonRates: [UInt32] = [60, 50, 30, 25, 15, 10, 5]
    /// The largest raw picture that a small box compresses in real time.
    private static let largestRawArea = 1920 * 1088

    let calls: any VideoDeviceCalls
    let descriptor: VideoDescriptor

    /// The formats, without duplicates.
    var formats: [CaptureFormat] {
        let found = pixelFormats.flatMap { pixelFormat in
            sizes(of: pixelFormat).flatMap { size in
                intervals(of: pixelFormat, size).map { interval in
                    CaptureFormat(pixelFormat: pixelFormat, size: size, frameInterval: interval)
                }
            }
        }
        return Self.ranked(found)
    }

    /// Sorts formats, best first.
    static func ranked(_ formats: [CaptureFormat]) -> [CaptureFormat] {
        formats.sorted { Rank($0) < Rank($1) }
    }

    /// The driver's formats, without duplicates; those emulated by a library are excluded.
    var told: [PixelFormat] {
        list { index throws(Errno) in try calls.format(descriptor, index: index) }
            .filter { !$0.isEmulated }.map(\.format).withoutRepetitions
    }

    private var pixelFormats: [PixelFormat] {
        let told = told
        // Some drivers list nothing; then each format is tried.
        guard told.isEmpty else {
            let usable = told.filter(PixelFormat.usable.contains)
            let pictures = usable.isEmpty ? told.filter(PixelFormat.convertible.contains) : usable
            return pictures + told.filter { BayerLayout($0) != nil }
        }
        return PixelFormat.usable.filter { granted($0, Self.commonSizes[3])?.pixelFormat == $0 }
    }

    private func sizes(of pixelFormat: PixelFormat) -> [PixelSize] {
        let told = list { index throws(Errno) in try calls.frameSize(descriptor, pixelFormat, index: index) }
        guard told.isEmpty else { return told.flatMap(Self.sizes).filter(\.isPlausible).withoutRepetitions }
        let tried = Self.commonSizes.compactMap { granted(pixelFormat, $0) }
        return tried.filter { $0.pixelFormat == pixelFormat && $0.size.isPlausible }.map(\.size).withoutRepetitions
    }

    private func intervals(of pixelFormat: PixelFormat, _ size: PixelSize) -> [FrameInterval] {
        let told = list { index throws(Errno) in
            try calls.frameInterval(descriptor, pixelFormat, size, index: index)
        }
        return told.isEmpty ? [.thirtiethSecond] : told.flatMap(Self.intervals).withoutRepetitions
    }

    private func granted(_ pixelFormat: PixelFormat, _ size: PixelSize) -> VideoFormat? {
        try? calls.tryFormat(descriptor, VideoFormat(pixelFormat: pixelFormat, size: size))
    }

    private static func sizes(of entry: VideoSizes) -> [PixelSize] {
        guard case .range(let smallest, let largest, let step) = entry else {
            if case .discrete(let size) = entry { return [size] }
            return []
        }
        func fits(_ value: Int, _ low: Int, _ high: Int, _ step: Int) -> Bool {
            low...max(low, high) ~= value && (value - low) % max(1, step) == 0
        }
        let common = commonSizes.filter {
            fits($0.width, smallest.width, largest.width, step.width)
                && fits($0.height, smallest.height, largest.height, step.height)
        }
        return [largest] + common + [smallest]
    }

    private static func intervals(of entry: VideoIntervals) -> [FrameInterval] {
        switch entry {
        case .discrete(let interval): return [interval]
        case .range(let shortest, let longest):
            let inside = commonRates.compactMap { FrameInterval(numerator: 1, denominator: $0) }
                .filter { shortest.duration < $0.duration && $0.duration < longest.duration }
            return [shortest] + inside + [longest]
        }
    }

    /// Reads a driver's list until it returns an error.
    private func list<Entry>(_ entry: (UInt32) throws(Errno) -> Entry) -> [Entry] {
        var entries: [Entry] = []
        for index in 0..<Self.longest {
            guard let found = try? entry(index) else { break }
            entries.append(found)
        }
        return entries
    }

    /// A format's rank; less is better.
    private struct Rank: Comparable {
        private let keys: [Double]

        init(_ format: CaptureFormat) {
            let rate = format.frameInterval.framesPerSecond
            let area = format.size.width * format.size.height
            let isJPEG = format.pixelFormat.isJPEG
            keys = [
                // Raw sensor data is not a picture: use it only on request.
                format.pixelFormat.isBayer ? 1 : 0,
                rate > 24.5 ? 0 : rate > 14.5 ? 1 : 2,
                // If all are too slow for a movie, the fastest is best.
                rate > 14.5 ? 0 : -rate,
                isJPEG ? 0 : area <= FormatList.largestRawArea ? 1 : 2,
                Double(-area),
                (rate - 30).magnitude,
                Double(PixelFormat.usable.firstIndex(of: format.pixelFormat) ?? PixelFormat.usable.count),
            ]
        }

        static func < (left: Rank, right: Rank) -> Bool { left.keys.lexicographicallyPrecedes(right.keys) }
    }
}

extension PixelSize {
    /// Whether pictures may have this size, for which memory is allocated, whatever the driver says.
    var isPlausible: Bool { 1...16_384 ~= width && 1...16_384 ~= height }
}

extension Array where Element: Hashable {
    /// The elements without duplicates, in order of first occurrence.
    var withoutRepetitions: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
