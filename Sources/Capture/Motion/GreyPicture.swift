package import PhotoModel

/// A small greyscale picture without row padding, for motion detection.
package struct GreyPicture: Hashable, Sendable {
    /// Width and height.
    package let size: PixelSize
    /// One byte per pixel, 0 is black.
    package let samples: [UInt8]

    /// Takes samples; nil if their number does not match the size, or is zero.
    package init?(size: PixelSize, samples: [UInt8]) {
        let (count, overflowed) = size.width.multipliedReportingOverflow(by: size.height)
        guard !overflowed, count > 0, size.width > 0, count == samples.count else { return nil }
        self.size = size
        self.samples = samples
    }

    /// The sharpness of a part of the picture: the mean square of the Laplacian, which blur reduces first.
    ///
    /// It is 0 for a uniform surface or an empty area; pixels at the picture's edge are skipped.
    package func sharpness(in area: PixelArea) -> Double {
        let columns = max(1, area.columns.lowerBound)..<max(1, min(size.width - 1, area.columns.upperBound))
        let rows = max(1, area.rows.lowerBound)..<max(1, min(size.height - 1, area.rows.upperBound))
        guard !columns.isEmpty, !rows.isEmpty else { return 0 }
        var sum = 0
        for row in rows {
            for index in row * size.width + columns.lowerBound..<row * size.width + columns.upperBound {
                let around =
                    Int(samples[index - 1]) + Int(samples[index + 1])
                    + Int(samples[index - size.width]) + Int(samples[index + size.width])
                let laplacian = 4 * Int(samples[index]) - around
                sum += laplacian * laplacian
            }
        }
        return Double(sum) / Double(columns.count * rows.count)
    }
}

/// A rectangle of pixels.
package struct PixelArea: Hashable, Sendable {
    /// From left to right.
    package var columns: Range<Int>
    /// From top to bottom.
    package var rows: Range<Int>

    /// Extends the rectangle to include a pixel.
    mutating func include(column: Int, row: Int) {
        columns = min(columns.lowerBound, column)..<max(columns.upperBound, column + 1)
        rows = min(rows.lowerBound, row)..<max(rows.upperBound, row + 1)
    }
}
