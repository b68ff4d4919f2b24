import PhotoModel

/// A part of the picture as a polygon, independent of its size: coordinates from 0 to 1, right and down.
package struct MotionZone: Hashable, Sendable, Codable {
    /// A corner.
    package struct Point: Hashable, Sendable, Codable {
        /// From the left edge, 0, to the right edge, 1.
        package var x: Double
        /// From the top edge, 0, to the bottom edge, 1.
        package var y: Double

        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The corners in order; the last connects to the first.
    package let corners: [Point]

    /// A polygon; nil for fewer than three corners, more than 100, or one outside the picture.
    package init?(corners: [Point]) {
        let isInside = corners.allSatisfy { 0...1 ~= $0.x && 0...1 ~= $0.y }
        guard 3...100 ~= corners.count, isInside else { return nil }
        self.corners = corners
    }

    /// Whether a point lies in the polygon, by the even-odd rule.
    package func contains(x: Double, y: Double) -> Bool {
        var isInside = false
        var previous = corners[corners.count - 1]
        for corner in corners {
            if (corner.y > y) != (previous.y > y) {
                let crossing = (previous.x - corner.x) * (y - corner.y) / (previous.y - corner.y) + corner.x
                if x < crossing { isInside.toggle() }
            }
            previous = corner
        }
        return isInside
    }
}

extension MotionSettings {
    /// The watched pixels of a picture: those in a zone, if there are zones, and in no mask.
    func watchedPixels(_ size: PixelSize) -> [Bool] {
        guard !zones.isEmpty || !masks.isEmpty else {
            return [Bool](repeating: true, count: size.width * size.height)
        }
        var watched: [Bool] = []
        watched.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            let y = (Double(row) + 0.5) / Double(size.height)
            for column in 0..<size.width {
                let x = (Double(column) + 0.5) / Double(size.width)
                let isInZone = zones.isEmpty || zones.contains { $0.contains(x: x, y: y) }
                watched.append(isInZone && !masks.contains { $0.contains(x: x, y: y) })
            }
        }
        return watched
    }
}
