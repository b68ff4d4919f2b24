@testable import Capture

extension SyntheticPicture {
    /// Reads the lowest bits of the frame number back from a luma plane.
    func frameNumber(luma: (_ x: Int, _ y: Int) -> UInt8) -> Int {
        (0..<Self.codeBitCount).reduce(0) { number, bit in
            let cell = codeCell(bit)
            return number << 1 | (luma(cell.x + cell.side / 2, cell.y + cell.side / 2) > 127 ? 1 : 0)
        }
    }

    /// Reads from a luma plane whether the frame is a clap.
    func isClap(luma: (_ x: Int, _ y: Int) -> UInt8) -> Bool {
        luma(clapBox.x + clapBox.side / 2, clapBox.y + clapBox.side / 2) > 127
    }
}
