package import PhotoModel

/// The cells of a picture that a privacy mask covers, row by row.
///
/// A cell is covered if it comes within a pixel of an area: decoders smooth colours across the edges of JPEG's blocks,
/// so that the outermost pixels of a black block are not quite black.
package struct MaskRaster: Hashable, Sendable {
    /// The picture's width and height.
    package let size: PixelSize
    /// A cell's width and height.
    package let cell: PixelSize
    /// The covered columns of each row of cells, ascending.
    package let rows: [[Range<Int>]]

    /// Computes the covered cells of a picture.
    package init(_ mask: PrivacyMask, size: PixelSize, cell: PixelSize) {
        self.size = size
        self.cell = cell
        let columnCount = (size.width + cell.width - 1) / cell.width
        let rowCount = (size.height + cell.height - 1) / cell.height
        var covered = [[Bool]](repeating: [Bool](repeating: false, count: columnCount), count: rowCount)
        for area in mask.areas {
            let shape = Shape(area, size)
            for row in shape.rows(cell.height, rowCount) {
                for column in shape.columns(cell.width, columnCount) where !covered[row][column] {
                    let x = Double(column * cell.width) - 1
                    let y = Double(row * cell.height) - 1
                    covered[row][column] = shape.touches(
                        x...x + Double(cell.width + 2),
                        y...y + Double(cell.height + 2)
                    )
                }
            }
        }
        rows = covered.map(Self.ranges)
    }

    private static func ranges(_ row: [Bool]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for (column, isCovered) in row.enumerated() where isCovered {
            if let last = ranges.last, last.upperBound == column {
                ranges[ranges.count - 1] = last.lowerBound..<column + 1
            } else {
                ranges.append(column..<column + 1)
            }
        }
        return ranges
    }
}

/// A polygon in pixels.
private struct Shape {
    private let area: PicturePolygon
    private let size: PixelSize
    private let corners: [(x: Double, y: Double)]

    init(_ area: PicturePolygon, _ size: PixelSize) {
        self.area = area
        self.size = size
        corners = area.corners.map { ($0.x * Double(size.width), $0.y * Double(size.height)) }
    }

    func rows(_ length: Int, _ count: Int) -> Range<Int> { Self.cells(corners.map(\.y), length, count) }

    func columns(_ length: Int, _ count: Int) -> Range<Int> { Self.cells(corners.map(\.x), length, count) }

    private static func cells(_ values: [Double], _ length: Int, _ count: Int) -> Range<Int> {
        let first = Int((values.min() ?? 0) - 1) / length
        let last = Int((values.max() ?? 0) + 1) / length
        return max(0, first)..<min(count, last + 1)
    }

    /// Whether it has a point in common with a rectangle: an edge crosses it, or all of it lies inside.
    func touches(_ columns: ClosedRange<Double>, _ rows: ClosedRange<Double>) -> Bool {
        var previous = corners[corners.count - 1]
        for corner in corners {
            if Self.crosses(previous, corner, columns, rows) { return true }
            previous = corner
        }
        return area.contains(
            x: (columns.lowerBound + columns.upperBound) / 2 / Double(size.width),
            y: (rows.lowerBound + rows.upperBound) / 2 / Double(size.height)
        )
    }

    /// Clips a line by a rectangle (Liang and Barsky); true if something is left.
    private static func crosses(
        _ start: (x: Double, y: Double),
        _ end: (x: Double, y: Double),
        _ columns: ClosedRange<Double>,
        _ rows: ClosedRange<Double>
    ) -> Bool {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        var (entry, exit) = (0.0, 1.0)
        let sides = [
            (-dx, start.x - columns.lowerBound), (dx, columns.upperBound - start.x),
            (-dy, start.y - rows.lowerBound), (dy, rows.upperBound - start.y),
        ]
        for (slope, distance) in sides {
            if slope == 0 {
                if distance < 0 { return false }
            } else if slope < 0 {
                entry = max(entry, distance / slope)
            } else {
                exit = min(exit, distance / slope)
            }
        }
        return entry <= exit
    }
}
