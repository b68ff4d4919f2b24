import PhotoModel

/// Adjacent pixels that differ from the background: one object, or part of one.
package struct ChangedRegion: Hashable, Sendable {
    /// The number of pixels.
    package var pixelCount: Int
    /// The bounding rectangle.
    package var area: PixelArea
}

extension ChangedRegion {
    /// Finds the region with the most of the differing pixels, given row by row; nil if nothing is left after removing
    /// specks.
    ///
    /// A pixel counts if most of the nine around it differ, so that single noisy pixels do not; pixels touching at a
    /// side or corner form one region.
    static func largest(in changed: [Bool], size: PixelSize) -> ChangedRegion? {
        var left = despeckled(changed, size)
        var best: ChangedRegion?
        var stack: [Int] = []
        for start in left.indices where left[start] {
            left[start] = false
            stack.append(start)
            let (column, row) = (start % size.width, start / size.width)
            var region = ChangedRegion(
                pixelCount: 0,
                area: PixelArea(columns: column..<column + 1, rows: row..<row + 1)
            )
            while let index = stack.popLast() {
                let (column, row) = (index % size.width, index / size.width)
                region.pixelCount += 1
                region.area.include(column: column, row: row)
                for nextRow in max(0, row - 1)...min(size.height - 1, row + 1) {
                    for nextColumn in max(0, column - 1)...min(size.width - 1, column + 1) {
                        let next = nextRow * size.width + nextColumn
                        guard left[next] else { continue }
                        left[next] = false
                        stack.append(next)
                    }
                }
            }
            if region.pixelCount > best?.pixelCount ?? 0 { best = region }
        }
        return best
    }

    private static func despeckled(_ changed: [Bool], _ size: PixelSize) -> [Bool] {
        var result = [Bool](repeating: false, count: changed.count)
        guard size.width > 2, size.height > 2 else { return result }
        for row in 1..<size.height - 1 {
            for column in 1..<size.width - 1 {
                let index = row * size.width + column
                guard changed[index] else { continue }
                var count = 0
                for line in [index - size.width, index, index + size.width] {
                    count += (changed[line - 1] ? 1 : 0) + (changed[line] ? 1 : 0) + (changed[line + 1] ? 1 : 0)
                }
                result[index] = count >= 5
            }
        }
        return result
    }
}
