import Glibc
import MediaDecoding
import MediaWorker

/// Decodes untrusted files.
///
/// The server starts it and talks to it through descriptor 3; started by hand it does nothing.
@main
enum TintypeMedia {
    static func main() {
        exit(MediaWorkerProgram.run(MediaFileDecoder.self))
    }
}
