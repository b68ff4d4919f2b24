import Capture
import PhotoModel
import TestSupport

/// A generated scene: a textured wall with noise, and whatever a test puts in front of it.
struct Scene {
    /// Something square in front of the wall.
    struct Block {
        var column: Int
        var row: Int
        var side = 12
        var shade: UInt8 = 230
        /// Draws stripes, which are sharp, instead of an even surface.
        var isStriped = false
    }

    var size = PixelSize(width: 80, height: 60)
    /// The largest deviation of a pixel.
    var noise = 4
    /// Added to everything, as light is.
    var light = 0
    var generator: SeededGenerator

    init(seed: UInt64 = 1) {
        generator = SeededGenerator(seed: seed)
    }

    /// Draws one picture.
    mutating func picture(_ blocks: [Block] = []) -> GreyPicture? {
        var samples: [UInt8] = []
        samples.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            for column in 0..<size.width {
                var shade = 60 + (column * 7 + row * 13) % 50
                for block in blocks where Self.covers(block, column, row) {
                    shade = block.isStriped && column % 2 == 0 ? 40 : Int(block.shade)
                }
                let deviation = noise == 0 ? 0 : generator.below(2 * noise + 1) - noise
                samples.append(UInt8(clamping: shade + light + deviation))
            }
        }
        return GreyPicture(size: size, samples: samples)
    }

    private static func covers(_ block: Block, _ column: Int, _ row: Int) -> Bool {
        block.column..<block.column + block.side ~= column && block.row..<block.row + block.side ~= row
    }
}

/// A detector that is shown pictures at five a second.
struct Watcher {
    var scene: Scene
    var detector: MotionDetector
    var number: Int64 = 0
    private(set) var events: [MotionEvent] = []

    init(_ settings: MotionSettings = MotionSettings(), seed: UInt64 = 1) {
        scene = Scene(seed: seed)
        detector = MotionDetector(settings)
    }

    /// The time of the next picture.
    var time: MonotonicTime { at(number * 200) }

    /// Shows one picture.
    mutating func show(_ blocks: [Scene.Block] = []) {
        if let picture = scene.picture(blocks) { events += detector.observe(picture, at: time) }
        number += 1
    }

    /// Shows what a wall without anything in front of it gives.
    mutating func wait(pictures count: Int) {
        for _ in 0..<count { show() }
    }

    /// A block crosses the picture from left to right.
    mutating func cross(row: Int = 20, step: Int = 4) {
        for column in stride(from: 0, to: scene.size.width - 12, by: step) {
            show([Scene.Block(column: column, row: row)])
        }
    }

    var kinds: [String] {
        events.map { event in
            switch event {
            case .began: "began"
            case .chosen: "chosen"
            case .ended: "ended"
            case .lightingChanged: "lighting"
            }
        }
    }
}
