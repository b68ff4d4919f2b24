import MediaFormats

/// IPTC datasets, and a JPEG's words, places and dates that are made of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIPTC(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        let record = IPTCRecord(bytes, block: bytes.fullRange)
        _ = record.captureTime
        _ = record.captureDay
        let words = PictureWords(xmp: nil, iptc: record, exif: nil)
        precondition(words.keywords.count <= count, "keywords came out of nothing")
    }
}
