import Glibc
package import PhotoModel

/// Draws the synthetic camera's frames: 4:2:0 planes, full range.
///
/// Static parts are drawn once; a frame copies them and draws a few boxes, so that even a debug build keeps the rate.
package struct SyntheticPicture: Sendable {
    /// The number of frame number bits in the bar code.
    package static let codeBitCount = 24

    /// Width and height.
    package let size: PixelSize
    private let background: [UInt8]

    /// A picture with even width and height.
    package init(size: PixelSize) {
        self.size = size
        let (width, height) = (size.width, size.height)
        let bars = (0..<width).map { UInt8(40 + $0 * 8 / width * 22) }
        let halfWidth = width / 2
        let blue = (0..<halfWidth).map { UInt8(96 + $0 * 8 / halfWidth * 9) }
        let red = (0..<halfWidth).map { UInt8(160 - $0 * 8 / halfWidth * 9) }
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * 3 / 2)
        for _ in 0..<height { samples += bars }
        for _ in 0..<height / 2 { samples += blue }
        for _ in 0..<height / 2 { samples += red }
        background = samples
    }

    /// Draws one frame's planes Y, U and V, one after the other.
    ///
    /// Its number is shown as digits, as a bar code and by the block's position; a clap makes the box in the upper
    /// right corner white. A brightness of 1 is normal, less darker.
    package func samples(frame: Int, isClap: Bool, reading: ClockReading, brightness: Double = 1) -> [UInt8] {
        var canvas = Canvas(samples: background, width: size.width)
        let unit = size.height / 60
        let block = size.height / 6
        canvas.fill(x: frame * 4 % max(1, size.width - block), y: size.height / 2, width: block, height: block, 235)
        canvas.fill(x: clapBox.x, y: clapBox.y, width: clapBox.side, height: clapBox.side, isClap ? 255 : 0)
        canvas.write(String(frame), x: unit * 2, y: unit * 2, scale: max(1, unit))
        canvas.write(Self.timeOfDay(reading), x: unit * 2, y: unit * 12, scale: max(1, unit / 2))
        for bit in 0..<Self.codeBitCount {
            let cell = codeCell(bit)
            let isSet = frame >> (Self.codeBitCount - 1 - bit) & 1 == 1
            canvas.fill(x: cell.x, y: cell.y, width: cell.side, height: cell.side, isSet ? 255 : 0)
        }
        guard brightness != 1 else { return canvas.samples }
        canvas.map(size.width * size.height) { max(0, $0 * brightness) }
        return canvas.samples
    }

    /// What a colour sensor's samples of a frame's planes would be, row by row, without colours: linear light, 8 bits
    /// each.
    package func mosaic(_ samples: [UInt8]) -> [UInt8] {
        var canvas = Canvas(samples: Array(samples.prefix(size.width * size.height)), width: size.width)
        canvas.map(canvas.samples.count) { pow($0 / 255, 2.2) * 255 }
        return canvas.samples
    }

    var clapBox: (x: Int, y: Int, side: Int) {
        let side = size.height / 6
        return (size.width - side - side / 2, side / 2, side)
    }

    func codeCell(_ bit: Int) -> (x: Int, y: Int, side: Int) {
        let side = size.width / (Self.codeBitCount + 2)
        return (side + bit * side, size.height - side * 2, side)
    }

    private static func timeOfDay(_ reading: ClockReading) -> String {
        let time = CivilTime(reading.wall, utcOffsetSeconds: reading.utcOffsetSeconds)
        return [time.hour, time.minute, time.second].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

/// A luma plane to draw on, with anything after it.
private struct Canvas {
    var samples: [UInt8]
    let width: Int

    /// Fills a box, row by row through the library, which is fast in any build.
    mutating func fill(x: Int, y: Int, width boxWidth: Int, height: Int, _ value: UInt8) {
        let row = repeatElement(value, count: boxWidth)
        for line in y..<y + height {
            let start = line * width + x
            samples.replaceSubrange(start..<start + boxWidth, with: row)
        }
    }

    /// Draws digits and colons, 3 by 5 boxes each.
    mutating func write(_ text: String, x: Int, y: Int, scale: Int) {
        for (position, character) in text.utf8.enumerated() {
            let rows = Self.font[character] ?? [0, 0, 0, 0, 0]
            for (row, bits) in rows.enumerated() {
                for column in 0..<3 where bits >> (2 - column) & 1 == 1 {
                    fill(x: x + (position * 4 + column) * scale, y: y + row * scale, width: scale, height: scale, 255)
                }
            }
        }
    }

    mutating func map(_ count: Int, _ tone: (Double) -> Double) {
        let table = (0...255).map { UInt8(min(255, tone(Double($0)))) }
        for index in 0..<count { samples[index] = table[Int(samples[index])] }
    }

    private static let font: [UInt8: [UInt8]] = [
        UInt8(ascii: "0"): [7, 5, 5, 5, 7], UInt8(ascii: "1"): [2, 6, 2, 2, 7], UInt8(ascii: "2"): [7, 1, 7, 4, 7],
        UInt8(ascii: "3"): [7, 1, 7, 1, 7], UInt8(ascii: "4"): [5, 5, 7, 1, 1], UInt8(ascii: "5"): [7, 4, 7, 1, 7],
        UInt8(ascii: "6"): [7, 4, 7, 5, 7], UInt8(ascii: "7"): [7, 1, 1, 1, 1], UInt8(ascii: "8"): [7, 5, 7, 5, 7],
        UInt8(ascii: "9"): [7, 5, 7, 1, 7], UInt8(ascii: ":"): [0, 2, 0, 2, 0],
    ]
}
