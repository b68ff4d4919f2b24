extension JPEGHeader {
    /// The quantization step, 1 to 65,535, of the first component's mean (DC), which is luma in all but exotic files;
    /// nil without a frame header or the table.
    ///
    /// The frame header names the component's table (T.81, B.2.2), a DQT segment holds it (B.2.4.1).
    package func lumaMeanStep(in bytes: RawSpan) -> Int? {
        guard let frame = segments.first(where: { $0.marker.isFrameHeader }), frame.payload.length >= 9,
            let wanted = try? bytes.byte(at: frame.payload.offset + 8)
        else { return nil }
        var step: Int?
        for segment in segments where segment.marker == .quantizationTables {
            var offset = segment.payload.offset
            while offset < segment.payload.end, let head = try? bytes.byte(at: offset) {
                let isWide = head >> 4 != 0
                let length = isWide ? 128 : 64
                guard offset + length < segment.payload.end else { return nil }
                if head & 0x0F == wanted {
                    let wide = try? Int(bytes.integer(at: offset + 1, as: UInt16.self))
                    step = isWide ? wide : (try? bytes.byte(at: offset + 1)).map(Int.init)
                }
                offset += 1 + length
            }
        }
        return step.flatMap { $0 > 0 ? $0 : nil }
    }
}
