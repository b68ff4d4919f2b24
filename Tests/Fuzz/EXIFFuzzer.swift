import MediaFormats

/// TIFF structures: directories, values, maker notes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEXIF(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        guard let metadata = try? ExifMetadata(bytes, block: bytes.fullRange) else { return }
        // What was read must be writable and then mean the same, unless a number is out of its field's range.
        guard let written = try? metadata.bytes() else { return }
        written.withBytes { again in
            var expected = metadata
            expected.makerNote = nil
            expected.appleMakerNote = nil
            expected.thumbnail = nil
            guard let read = try? ExifMetadata(again, block: again.fullRange) else { fatalError("not read again") }
            precondition(read.gps == expected.gps, "a position changed when it was written")
            precondition(read.original == expected.original, "a date changed when it was written")
        }
    }
}
