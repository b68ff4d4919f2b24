import PhotoModel

/// How a sensor's raw samples lie in memory (`V4L2_PIX_FMT_SRGGB…` and the like).
package struct BayerLayout: Hashable, Sendable {
    /// How samples are packed.
    package enum Packing: Hashable, Sendable {
        /// One byte a sample.
        case bytes
        /// Two bytes a sample, little-endian.
        case words
        /// As on the sensor's cable (MIPI): the upper 8 bits of a group of samples, then a byte or more of their lower
        /// bits.
        case packed
    }

    /// The colours of the first two rows' first two samples: 0 red, 1 green, 2 blue.
    package let pattern: [UInt8]
    /// The significant bits of a sample, 8 to 16.
    package let bits: Int
    /// How samples are packed.
    package let packing: Packing

    /// The layout of a pixel format; nil if it is not Bayer, or is one of Intel's or the Raspberry Pi's, which are
    /// compressed or packed differently.
    package init?(_ format: PixelFormat) {
        let code = format.description
        guard let (orders, bits, packing) = Self.families.first(where: { $0.orders.contains(code) }),
            let index = orders.firstIndex(of: code)
        else { return nil }
        pattern = [[2, 1, 1, 0], [1, 2, 0, 1], [1, 0, 2, 1], [0, 1, 1, 2]][index]
        self.bits = bits
        self.packing = packing
    }

    /// Codes in the order BGGR, GBRG, GRBG, RGGB.
    private static let families: [(orders: [String], bits: Int, packing: Packing)] = [
        (["BA81", "GBRG", "GRBG", "RGGB"], 8, .bytes), (["BG10", "GB10", "BA10", "RG10"], 10, .words),
        (["BG12", "GB12", "BA12", "RG12"], 12, .words), (["BG14", "GB14", "GR14", "RG14"], 14, .words),
        (["BYR2", "GB16", "GR16", "RG16"], 16, .words), (["pBAA", "pGAA", "pgAA", "pRAA"], 10, .packed),
        (["pBCC", "pGCC", "pgCC", "pRCC"], 12, .packed), (["pBEE", "pGEE", "pgEE", "pREE"], 14, .packed),
    ]

    /// The samples of a group, the shortest run that fills whole bytes.
    package var groupSampleCount: Int {
        guard packing == .packed else { return 1 }
        return bits == 12 ? 2 : 4
    }

    /// The bytes of a group.
    package var groupByteCount: Int {
        switch packing {
        case .bytes: 1
        case .words: 2
        case .packed: groupSampleCount * bits / 8
        }
    }

    /// The bytes of a row without padding.
    package func byteCount(ofSamples count: Int) -> Int {
        (count + groupSampleCount - 1) / groupSampleCount * groupByteCount
    }
}
