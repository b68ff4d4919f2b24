import MediaFormats

/// XMP packets; what was read must come back when it is written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzXMP(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let properties = try? XMPProperties(bytes, packet: bytes.fullRange) else { return }
        properties.packet().withBytes { again in
            guard let read = try? XMPProperties(again, packet: again.fullRange) else { fatalError("not read again") }
            precondition(read.title == properties.title, "a title changed when it was written")
            precondition(read.keywords.count <= properties.keywords.count, "keywords came out of nothing")
        }
    }
}
