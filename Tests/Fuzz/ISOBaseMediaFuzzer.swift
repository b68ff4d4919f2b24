import MediaFormats

/// Boxes in memory and at the top level of a file, and the type told by the first bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzISOBaseMedia(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        _ = ContentType(sniffing: bytes)
        for box in (try? bytes.boxes(in: bytes.fullRange)) ?? [] {
            precondition(bytes.fullRange.contains(box.range), "a box reaches beyond the file")
            _ = try? bytes.metaChildren(of: box)
        }
        _ = try? FileBoxes(of: (try? bytes.copyBytes(in: bytes.fullRange)) ?? [])
    }
}
