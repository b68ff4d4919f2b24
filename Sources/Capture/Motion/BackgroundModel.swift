import PhotoModel

/// The background of a camera's picture, learned from its pictures.
///
/// Each pixel is a running average over about a hundred pictures. A differing pixel is left out of it until it has
/// looked the same for as long as an object must stand still; then it becomes background, as does the place of an
/// object that was carried away.
struct BackgroundModel {
    /// How many pictures are learned before any is judged.
    static let calibrationCount = 5
    /// The learning rate is 1/16 of the difference while calibrating, 1/64 later.
    private static let (fastShift, slowShift) = (2, 6)
    /// A pixel must differ by this multiple of the noise.
    private static let noiseFactor = 6.0

    /// The comparison of a picture with the background.
    enum Judgement: Hashable {
        /// Not enough pictures have been seen yet.
        case calibrating
        /// The lighting changed; learning restarts.
        case lighting
        /// The differing pixels, in the picture's order.
        case changed([Bool])
    }

    /// The size of the judged pictures; another size restarts the model.
    let size: PixelSize
    private let watched: [Bool]
    /// The number of watched pixels.
    let watchedCount: Int
    private let settings: MotionSettings
    /// The mean, in 1/256 of a shade.
    private var mean: [Int32]
    /// The look of a differing pixel when it began to differ.
    private var candidate: [UInt8]
    /// How long it has looked that way, in milliseconds.
    private var standing: [Int32]
    /// The mean difference of unchanged pixels, in shades.
    private var noise = 0.0
    private var seenCount = 1

    /// Starts with a picture.
    init(_ picture: GreyPicture, _ settings: MotionSettings) {
        size = picture.size
        self.settings = settings
        watched = settings.watchedPixels(picture.size)
        watchedCount = watched.count { $0 }
        mean = picture.samples.map { Int32($0) << 8 }
        candidate = picture.samples
        standing = [Int32](repeating: 0, count: picture.samples.count)
    }

    /// Compares a picture of the same size with the background, and learns from it by the time since the previous one.
    mutating func judge(_ picture: GreyPicture, after elapsed: Duration) -> Judgement {
        let threshold = Int32(max(Double(settings.contrast), noise * Self.noiseFactor)) << 8
        var changed = [Bool](repeating: false, count: mean.count)
        var changedCount = 0
        var (difference, quietCount) = (0, 0)
        for index in mean.indices where watched[index] {
            let distance = abs(Int32(picture.samples[index]) << 8 - mean[index])
            if distance > threshold {
                changed[index] = true
                changedCount += 1
            } else {
                difference += Int(distance)
                quietCount += 1
            }
        }
        if Double(changedCount) > Double(max(1, watchedCount)) * settings.lightingArea {
            self = BackgroundModel(picture, settings)
            return .lighting
        }
        let isCalibrating = seenCount < Self.calibrationCount
        seenCount += isCalibrating ? 1 : 0
        if quietCount > 0 {
            let measured = Double(difference) / Double(quietCount) / 256
            noise += (measured - noise) * (isCalibrating ? 0.5 : 0.05)
        }
        learn(picture, isCalibrating ? [] : changed, elapsed, isCalibrating ? Self.fastShift : Self.slowShift)
        return isCalibrating ? .calibrating : .changed(changed)
    }

    private mutating func learn(_ picture: GreyPicture, _ changed: [Bool], _ elapsed: Duration, _ shift: Int) {
        let milliseconds = Int32(clamping: elapsed.wholeNanoseconds / 1_000_000)
        let acceptance = Int32(clamping: settings.acceptance.wholeNanoseconds / 1_000_000)
        for index in mean.indices {
            let sample = picture.samples[index]
            guard !changed.isEmpty, changed[index] else {
                mean[index] += (Int32(sample) << 8 - mean[index]) >> Int32(shift)
                standing[index] = 0
                continue
            }
            if standing[index] == 0 || abs(Int(sample) - Int(candidate[index])) > settings.contrast {
                candidate[index] = sample
                standing[index] = 1
            } else {
                standing[index] = standing[index].addingReportingOverflow(milliseconds).partialValue
            }
            if standing[index] >= acceptance {
                mean[index] = Int32(sample) << 8
                standing[index] = 0
            }
        }
    }
}
