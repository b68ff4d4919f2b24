import MediaFormats

/// Samsung's trailer, at the end of any bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSamsungTrailer(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let file = try? bytes.copyBytes(in: bytes.fullRange),
            let trailer = try? SamsungTrailer(file, in: bytes.fullRange)
        else { return }
        precondition(trailer.blocks.allSatisfy { bytes.fullRange.contains($0.value) }, "a block lies outside")
        _ = try? trailer.movie(in: file)
    }
}
