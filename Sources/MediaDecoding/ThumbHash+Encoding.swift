import Glibc
import PhotoModel

extension ThumbHash {
    /// The longest side of the input picture: a larger one costs more without showing more.
    static let maximumSide = 100

    /// Computes a picture's placeholder with the published algorithm; nil for a wrong number of pixels, or sides not
    /// within 1...100.
    ///
    /// The pixels are red, green, blue and alpha, row by row, not premultiplied. Five bytes hold the averages, the
    /// scales and the shorter side's number of frequencies; one more the transparency; then 4 bits for each frequency
    /// of luminance (up to 7 x 7, 5 x 5 with transparency), of yellow-blue and red-green (3 x 3), and of transparency
    /// (5 x 5), only those below the diagonal.
    init?(size: PixelSize, pixels: [UInt8]) {
        let sides = 1...Self.maximumSide
        guard sides ~= size.width, sides ~= size.height, pixels.count == size.width * size.height * 4 else {
            return nil
        }
        let planes = ColorPlanes(size: size, pixels: pixels)
        let limit = planes.hasAlpha ? 5 : 7
        let longest = Double(max(size.width, size.height))
        func frequencies(_ side: Int) -> Int { max(1, Int((Double(limit * side) / longest).rounded())) }
        let (columns, rows) = (frequencies(size.width), frequencies(size.height))
        let light = Frequencies(of: planes.light, size, columns: max(3, columns), rows: max(3, rows))
        let yellowBlue = Frequencies(of: planes.yellowBlue, size, columns: 3, rows: 3)
        let redGreen = Frequencies(of: planes.redGreen, size, columns: 3, rows: 3)
        let alpha = planes.hasAlpha ? Frequencies(of: planes.alpha, size, columns: 5, rows: 5) : nil
        let isLandscape = size.width > size.height

        var first = Self.quantized(light.average, 63)
        first |= Self.quantized(0.5 + 0.5 * yellowBlue.average, 63) << 6
        first |= Self.quantized(0.5 + 0.5 * redGreen.average, 63) << 12
        first |= Self.quantized(light.scale, 31) << 18
        first |= alpha == nil ? 0 : 1 << 23
        var second = UInt32(isLandscape ? rows : columns)
        second |= Self.quantized(yellowBlue.scale, 63) << 3
        second |= Self.quantized(redGreen.scale, 63) << 9
        second |= isLandscape ? 1 << 15 : 0
        var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let alpha {
            bytes.append(UInt8(Self.quantized(alpha.average, 15) | Self.quantized(alpha.scale, 15) << 4))
        }
        let parts = [light, yellowBlue, redGreen] + (alpha.map { [$0] } ?? [])
        let nibbles = parts.flatMap(\.values).map { UInt8(Self.quantized($0, 15)) }
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            bytes.append(nibbles[index] | (index + 1 < nibbles.count ? nibbles[index + 1] << 4 : 0))
        }
        self.init(bytes: bytes)
    }

    /// Quantizes a value in 0...1 to the nearest of `maximum` steps.
    private static func quantized(_ value: Double, _ maximum: Double) -> UInt32 {
        UInt32(min(max((value * maximum).rounded(), 0), maximum))
    }
}

/// A picture's luminance, colour and transparency planes, composited onto its average colour.
private struct ColorPlanes {
    var light: [Double] = []
    var yellowBlue: [Double] = []
    var redGreen: [Double] = []
    var alpha: [Double] = []
    let hasAlpha: Bool

    init(size: PixelSize, pixels: [UInt8]) {
        var average = SIMD4<Double>.zero
        let colors: [SIMD4<Double>] = stride(from: 0, to: pixels.count, by: 4).map { index in
            let samples = SIMD4<UInt8>(pixels[index..<index + 4])
            return SIMD4<Double>(samples) / 255
        }
        for color in colors {
            let weighted = color * color.w
            average += SIMD4<Double>(weighted.x, weighted.y, weighted.z, color.w)
        }
        hasAlpha = average.w < Double(size.width * size.height)
        if average.w > 0 { average /= average.w }
        for color in colors {
            let mixed = average * (1 - color.w) + color * color.w
            light.append((mixed.x + mixed.y + mixed.z) / 3)
            yellowBlue.append((mixed.x + mixed.y) / 2 - mixed.z)
            redGreen.append(mixed.x - mixed.y)
            alpha.append(color.w)
        }
    }
}

/// The lowest frequencies of one plane (discrete cosine transform), scaled to 0...1.
private struct Frequencies {
    var average: Double = 0
    var scale: Double = 0
    var values: [Double] = []

    init(of plane: [Double], _ size: PixelSize, columns: Int, rows: Int) {
        let horizontal = Self.waves(columns, over: size.width)
        let vertical = Self.waves(rows, over: size.height)
        for row in 0..<rows {
            for column in 0..<columns where column * rows < columns * (rows - row) {
                var sum: Double = 0
                for y in 0..<size.height {
                    var line: Double = 0
                    for x in 0..<size.width { line += plane[x + y * size.width] * horizontal[column][x] }
                    sum += line * vertical[row][y]
                }
                let value = sum / Double(size.width * size.height)
                if row == 0, column == 0 {
                    average = value
                } else {
                    values.append(value)
                    scale = max(scale, abs(value))
                }
            }
        }
        if scale > 0 { values = values.map { 0.5 + 0.5 / scale * $0 } }
    }

    private static func waves(_ count: Int, over length: Int) -> [[Double]] {
        (0..<count).map { frequency in
            let step = Double.pi / Double(length) * Double(frequency)
            return (0..<length).map { cos(step * (Double($0) + 0.5)) }
        }
    }
}
