/// The sound in the room: a loud tone, played on the far end of the loopback sound card until it is ended.
struct Tone {
    static let sampleRate = 48_000
    private static let seconds = 30
    private let player: BackgroundProgram

    /// Begins to play.
    init() throws {
        let path = "\(Machine.folder)/tone.wav"
        try Machine.write(Self.file, to: path)
        player = try Machine.start("aplay", ["-q", "-D", "hw:Loopback,1,0", path])
    }

    /// Ends it.
    func end() {
        player.end()
    }

    /// A WAVE file (Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0"): one channel of
    /// 16-bit samples.
    private static var file: [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // A square of 500 Hz.
        let period = [Int](repeating: 12_000, count: 48) + [Int](repeating: -12_000, count: 48)
        let samples = Array(repeatElement(period.flatMap { bytes($0, 2) }, count: seconds * 500).joined())
        let format =
            bytes(1, 2) + bytes(1, 2) + bytes(sampleRate, 4) + bytes(sampleRate * 2, 4) + bytes(2, 2) + bytes(16, 2)
        return Array("RIFF".utf8) + bytes(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + format
            + Array("data".utf8) + bytes(samples.count, 4) + samples
    }
}
