/// Width and height of a picture in pixels.
package struct PixelSize: Hashable, Sendable {
    /// Columns.
    package let width: Int
    /// Rows.
    package let height: Int

    /// Takes both numbers.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size when it is shown with an orientation.
    package func oriented(_ orientation: PictureOrientation) -> PixelSize {
        orientation.exchangesAxes ? PixelSize(width: height, height: width) : self
    }
}
