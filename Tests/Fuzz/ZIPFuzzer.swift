import MediaFormats

/// The central directory of a ZIP archive: whatever it says, data lie inside the archive and overlap no others.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZIP(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let archive = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let directory = try? ZIPDirectory(archive) else { return 0 }
    var end = 0
    for entry in directory.entries.sorted(by: { $0.headerOffset < $1.headerOffset }) {
        precondition(entry.headerOffset >= end, "files overlap")
        end = entry.headerOffset + entry.storedByteCount
        guard let data = try? ZIPDirectory.data(of: entry, in: archive) else { continue }
        precondition(data.end <= count, "a file reaches beyond the archive")
    }
    return 0
}
