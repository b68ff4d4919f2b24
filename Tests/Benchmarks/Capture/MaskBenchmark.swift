import BenchmarkSupport
import Capture
import CaptureTestSupport
import MediaEncoding
import MediaFormats
import PhotoModel

/// What blackening a tenth of a picture of 12 megapixels costs, as a JPEG and as samples.
func maskBenchmark() throws {
    let size = PixelSize(width: 4000, height: 3000)
    guard let area = PicturePolygon("0.3,0.6 0.7,0.85"), let mask = PrivacyMask(areas: [area]) else { return }
    let masker = try TurboFrameMasker(mask)
    let samples = picture(size)
    let raw = FrameInfo.first(.i420, size)
    let jpeg = try samples.withBytes { try TurboFrameCompressor().jpeg(of: $0, raw) }
    print("picture: \(size), \(jpeg.count / 1000) kB as JPEG")
    let still = try fastest { _ = try jpeg.withBytes { try masker.masked($0, FrameInfo.first(.motionJPEG, size)) } }
    print("masking the JPEG: \(still); limit 5 ms; ratio to the limit \(ratio(still, .milliseconds(5)))")
    let planes = try fastest { _ = try samples.withBytes { try masker.masked($0, raw) } }
    print("masking the samples: \(planes); ratio to the limit \(ratio(planes, .milliseconds(5)))")
}

private func ratio(_ duration: Duration, _ limit: Duration) -> Double { (duration / limit * 100).rounded() / 100 }

private func fastest(_ work: () throws -> Void) rethrows -> Duration {
    var best = Duration.seconds(3600)
    for _ in 0..<10 { best = min(best, try ContinuousClock().measure(work)) }
    return best
}

/// A gradient with a sensor's noise.
private func picture(_ size: PixelSize) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<size.width * size.height * 3 / 2).map { index in
        state = state &* 1_664_525 &+ 1_013_904_223
        let noise = Int(state >> 28) - 8
        guard index < size.width * size.height else { return UInt8(128 + noise / 4) }
        return UInt8(clamping: 60 + index % size.width * 120 / size.width + noise)
    }
}
