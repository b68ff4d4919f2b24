import CMediaWorker
import Glibc
import MediaWorker
import PhotoModel

/// A worker that does what a file tells it, as one would that a file has taken over: the first word is the order.
@main
enum HostileWorker {
    static func main() {
        exit(MediaWorkerProgram.run(ObedientDecoder.self))
    }
}

struct ObedientDecoder: MediaDecoder {
    init() {}

    mutating func perform(
        _ request: MediaRequest,
        within limits: MediaLimits,
        input: Int32,
        output: Int32
    ) throws(MediaFailure) -> MediaResult {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe pread(input, &bytes, bytes.count, 0)
        var size = PixelSize(width: 4, height: 3)
        var codec = "jpeg"
        var picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        switch String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) {
        case "crash": unsafe UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "exit": exit(0)
        case "hang": while true { _ = poll(nil, 0, -1) }
        case "spin": while true { picture[0] ^= 0 }
        case "eat": eatMemory()
        case "flood": flood(output)
        case "refuse": throw MediaFailure(.damaged, "the file is\u{7} bad\n")
        case "huge": size = PixelSize(width: 1 << 40, height: 3)
        case "words": codec = "</script>\u{1B}[2J"
        case "other": picture = Array("GIF89a".utf8)
        case "chatter": codec = String(repeating: "x", count: 60_000)
        case "probe": codec = probe()
        default: break
        }
        _ = unsafe pwrite(output, picture, picture.count, 0)
        return MediaResult(
            facts: MediaFacts(size: size, codec: codec),
            pictures: [MediaPicture(size: PixelSize(width: 4, height: 3), offset: 0, byteCount: picture.count)]
        )
    }

    private func eatMemory() {
        while true {
            // Untouched memory would cost nothing.
            guard let piece = unsafe malloc(16 << 20) else { abort() }
            unsafe memset(piece, 1, 16 << 20)
        }
    }

    private func flood(_ output: Int32) {
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        for index in 0..<4096 where unsafe pwrite(output, piece, piece.count, off_t(index) << 20) < 0 { return }
    }

    /// The error numbers of what a confined process must not be able to do, 0 where it could.
    private func probe() -> String {
        func error(_ status: Int32) -> Int32 { status < 0 ? errno : 0 }
        var file = stat()
        let numbers = unsafe [
            error(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)),
            error(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)),
            error(open("/etc/passwd", O_RDONLY)),
            error(open("/tmp/tintype-escape", O_CREAT | O_WRONLY, 0o600)),
            error(unsafe stat("/etc/passwd", &file)),
            error(unlink("/tmp/tintype-escape")),
            error(mkdir("/tmp/tintype-escape", 0o700)),
            tt_try_fork(),
            error(unsafe execv("/bin/true", [nil])),
            error(kill(getppid(), 0)),
        ]
        return numbers.map(String.init).joined(separator: ".")
    }
}
