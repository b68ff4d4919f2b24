import PhotoModel
import TestSupport
import Testing

@testable import MediaDecoding

struct ThumbHashTests {
    enum Transparency { case opaque, mixed, clear }

    /// Colours that vary in every direction.
    private func pixels(_ width: Int, _ height: Int, _ transparency: Transparency) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let alpha =
                    switch transparency {
                    case .opaque: 255
                    case .mixed: x * 9 + y * 4
                    case .clear: 0
                    }
                for sample in [x * 7 + y * 3, x * 2 + y * 11 + 80, x * 5 + x * y + 40, alpha] {
                    bytes.append(UInt8(truncatingIfNeeded: sample))
                }
            }
        }
        return bytes
    }

    @Test(
        "The placeholder is the one that the reference implementation makes of the same pixels",
        arguments: [
            (4, 3, .opaque, "DWgBDYJwd3iCiHh3iIiHh4pgF/iI"),
            (100, 100, .opaque, "H/gBBwI3VoCJaytmI0NbiEq1+tR/wQ4A"),
            (100, 75, .opaque, "IPgFBYR3iFd3WAiHdXV5iJ+ZdJww"),
            (56, 100, .opaque, "H/gFDAZWlZhSBpekhriIv4GFBg=="),
            (100, 7, .opaque, "INgJIYwJRpBYl4SXC1gHbos="),
            (32, 24, .mixed, "IRiGFIYnQExveFQ4J9gHU2B7kHh1iod3CA=="),
            (40, 90, .mixed, "3+eBAgIXabuQoobe+5d5f0iTeGmUMKY="),
            (100, 100, .mixed, "3/eBBQIIwFf3P4hBnOD3CI9qh4eHh3gIeA=="),
            (3, 16, .clear, "AAiCAQAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ] as [(Int, Int, Transparency, String)]
    )
    func vectors(width: Int, height: Int, transparency: Transparency, expected: String) throws {
        let size = PixelSize(width: width, height: height)
        let hash = try #require(ThumbHash(size: size, pixels: pixels(width, height, transparency)))
        #expect(hash.description == expected)
    }

    @Test("A picture of another size than its pixels, or of more than 100 a side, has no placeholder")
    func refused() {
        for (width, height, count) in [(4, 4, 63), (101, 1, 404), (1, 101, 404), (0, 0, 0), (-1, -1, 4)] {
            let size = PixelSize(width: width, height: height)
            #expect(ThumbHash(size: size, pixels: [UInt8](repeating: 9, count: count)) == nil, "\(size)")
        }
    }

    @Test("Every picture has a placeholder of 5 to 25 bytes")
    func sizes() {
        checkProperty("sizes of placeholders", cases: 60, maximumSize: 100) { generator, size in
            let side = 1...max(1, size)
            let (width, height) = (Int.random(in: side, using: &generator), Int.random(in: side, using: &generator))
            let bytes = (0..<width * height * 4).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let hash = ThumbHash(size: PixelSize(width: width, height: height), pixels: bytes)
            return hash == nil ? "\(width)x\(height) has none" : nil
        }
    }
}
