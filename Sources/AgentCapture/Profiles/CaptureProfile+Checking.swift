import Capture
import MediaEncoding

extension CaptureProfile {
    /// The number of frames of a bracket, and the range of its exposures in EV.
    private static let bracketCounts = 2...9
    private static let bracketBiases = -6.0...6.0

    /// Why no camera could take its shots, with what to write instead; nil if one could.
    var shotProblem: String? {
        writingProblem ?? samplesProblem ?? bracketProblem
    }

    /// Why a watched folder cannot have these settings; nil if it can.
    var importProblem: String? {
        guard mask != nil else { return nil }
        return "camera.masks cannot mask the files that watch.folder imports: leave it out, and mask them before"
    }

    /// Why these exposures are not a valid bracket; nil if they are.
    package static func problem(ofBracket biases: [Double]) -> String? {
        guard bracketCounts ~= biases.count, biases.allSatisfy(bracketBiases.contains),
            Set(biases).count == biases.count
        else { return "a bracket is 2 to 9 different exposures from -6 to 6 EV: write [-2, 0, 2], for example" }
        return nil
    }

    /// Every shot in a format that cannot be written here would fail.
    private var writingProblem: String? {
        FileCaptureRecorder.missingEncoder(of: stillFormat).map { "shot.format is \(stillFormat.rawValue), and \($0)" }
    }

    /// Kept samples are 10 to 50 times as large as a JPEG, and developing them takes longer than a frame's time.
    private var samplesProblem: String? {
        let format = stillFormat.rawValue
        if includesRaw, stillFormat.pixels != .any {
            return "shot.raw keeps the samples beside a developed picture: write shot.format: jpeg, heic or avif"
        }
        let key = includesRaw ? "shot.raw" : "shot.format: \(format)"
        let wayOut = includesRaw ? "leave out shot.raw" : "write shot.format: jpeg"
        guard pixels != .any else { return nil }
        if isLivePhoto { return "\(key) needs shot.mode: still; or \(wayOut)" }
        guard pixels == .bayer else { return nil }
        if triggers.motion != nil {
            return "trigger.motion cannot watch a sensor's raw samples, which \(key) needs: \(wayOut)"
        }
        guard let program = programCamera else { return nil }
        return """
            \(key) needs a Video4Linux camera, which \(program) is not: let its program write JPEG and DNG into a folder \
            (rpicam-still --raw), which a profile with watch.folder imports as one photo
            """
    }

    private var bracketProblem: String? {
        guard let bracket else { return nil }
        if let problem = Self.problem(ofBracket: bracket) { return "shot.bracket: \(problem)" }
        if isLivePhoto { return "shot.bracket needs shot.mode: still" }
        if count != 1 || stride != 1 {
            return "shot.bracket says how many frames are taken: leave out shot.count and shot.stride"
        }
        guard let program = programCamera else { return nil }
        return
            "shot.bracket needs a Video4Linux camera, whose exposure can be set while it runs; \(program) is not one"
    }

    /// The camera, if a program or the network delivers its pictures.
    private var programCamera: String? {
        guard let camera, ["libcamera:", "command:", "network:"].contains(where: camera.rawValue.hasPrefix) else {
            return nil
        }
        return camera.rawValue
    }
}
