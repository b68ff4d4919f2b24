import BenchmarkSupport
import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport

/// What reading metadata costs: in memory by size, and from disk against exiftool.
func metadataBenchmark() throws {
    let (exif, xmp) = try sampleMetadata()
    try benchmarkBySize(exif: exif, xmp: xmp)
    try benchmarkAgainstExifTool(exif: exif, xmp: xmp)
}

/// Metadata as a good capture carries it.
private func sampleMetadata() throws -> (exif: [UInt8], xmp: [UInt8]) {
    var samples = SampleMetadata(SeededGenerator(seed: 11))
    let identifier = ContentIdentifier(rawValue: 0x0123_4567_89AB_CDEF)
    let note = AppleMakerNote.bytes(contentIdentifier: identifier)
    let thumbnail = try SampleStill.jpeg(imageBytes: 6000)
    return (try samples.exif().bytes(makerNote: note, thumbnail: thumbnail), samples.xmp().packet(padding: 2048))
}

/// A 4 MB file must cost what a 400 kB one costs: nothing of the image is looked at or copied.
private func benchmarkBySize(exif: [UInt8], xmp: [UInt8]) throws {
    print("metadata in memory (EXIF, XMP, maker note, thumbnail), median of 2,001:")
    for imageBytes in [400_000, 4_000_000] {
        let file = try SampleStill.jpeg(exif: exif, xmp: xmp, imageBytes: imageBytes)
        let before = residentBytes()
        let time = try medianMicroseconds(runs: 2001) {
            _ = try file.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
        }
        let layout = try medianMicroseconds(runs: 21) {
            _ = try file.withBytes { bytes throws(MediaFormatError) in try JPEGLayout(bytes) }
        }
        let edit = JPEGMetadataEdit(exif: .replace(exif))
        let new = try file.withBytes { bytes throws(MediaFormatError) in try edit.applied(to: bytes) }
        let copied = new.byteCount - new.keptRanges.reduce(0) { $0 + $1.length }
        print(
            "  \(imageBytes / 1000) kB: read \(rounded(time)) us, growth of resident memory "
                + "\((residentBytes() - before) / 1024) KiB; image data found in \(rounded(layout)) us; "
                + "new EXIF copies \(copied) bytes"
        )
    }
}

private func benchmarkAgainstExifTool(exif: [UInt8], xmp: [UInt8]) throws {
    let count = 1000
    try withTemporaryDirectory { folder in
        let file = Data(try SampleStill.jpeg(exif: exif, xmp: xmp, imageBytes: 300_000))
        let paths = (0..<count).map { folder.appending(path: "\($0).jpg").path() }
        for path in paths { try file.write(to: URL(fileURLWithPath: path)) }
        var read = 0
        let ours = try measure {
            for path in paths where try readMetadata(ofFile: path).exif?.appleMakerNote != nil { read += 1 }
        }
        var listed = 0
        let theirs = try measure {
            let answer = try ChildProcess.run("exiftool", ["-json", "-fast", "-r", folder.path()])
            listed = try (JSONSerialization.jsonObject(with: answer.output) as? [Any])?.count ?? 0
        }
        print("metadata of \(count) JPEG files of \(file.count / 1000) kB on disk:")
        print("  ours \(rounded(ours.wall.seconds * 1000)) ms (\(read) files read)")
        print("  exiftool -json -fast -r: \(rounded(theirs.wall.seconds * 1000)) ms (\(listed) files read)")
        print("  ratio \(rounded(theirs.wall.seconds / ours.wall.seconds))")
    }
}

/// Reads as much of a file's beginning as its metadata takes.
private func readMetadata(ofFile path: String) throws -> StillMetadata {
    guard let file = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
    defer { try? file.close() }
    var head: [UInt8] = []
    var wanted = 64 << 10
    while true {
        let more = try file.read(upToCount: wanted - head.count) ?? Data()
        head += more
        let result = metadata(of: head)
        guard case .failure(let error) = result, error.code == .truncated, !more.isEmpty else {
            return try result.get()
        }
        wanted = max(head.count * 2, error.offset ?? 0)
    }
}

private func metadata(of head: [UInt8]) -> Result<StillMetadata, MediaFormatError> {
    Result { () throws(MediaFormatError) in
        try head.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
    }
}

private func medianMicroseconds(runs: Int, _ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<runs { times.append(try clock.measure(work).seconds * 1e6) }
    return times.sorted()[runs / 2]
}

private func rounded(_ value: Double) -> String {
    String((value * 10).rounded() / 10)
}
