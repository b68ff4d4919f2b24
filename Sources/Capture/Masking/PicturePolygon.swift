/// A part of the picture as a polygon, independent of its size: coordinates from 0 to 1, right and down.
package struct PicturePolygon: Hashable, Sendable, Codable {
    /// A corner.
    package struct Point: Hashable, Sendable, Codable {
        /// From the left edge, 0, to the right edge, 1.
        package var x: Double
        /// From the top edge, 0, to the bottom edge, 1.
        package var y: Double
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

extension PicturePolygon: CustomStringConvertible {
    /// Parses corners such as `0.1,0.2 0.9,0.2 0.5,0.8`, or two opposite corners of a rectangle; nil for anything else.
    package init?(_ text: String) {
        let points = text.split(separator: " ").map { corner in
            corner.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        }
        guard points.allSatisfy({ $0.count == 2 }) else { return nil }
        var corners = points.map { Point(x: $0[0], y: $0[1]) }
        if corners.count == 2 {
            let (first, last) = (corners[0], corners[1])
            corners = [first, Point(x: last.x, y: first.y), last, Point(x: first.x, y: last.y)]
        }
        self.init(corners: corners)
    }

    /// The corners as ``init(_:)`` reads them.
    package var description: String { corners.map { "\($0.x),\($0.y)" }.joined(separator: " ") }
}
