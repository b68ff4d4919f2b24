import MediaDecoding
import MediaWorker

#if canImport(Glibc)
import Glibc
#endif

/// Decodes files that nobody vouches for.
///
/// The server starts it and speaks with it through descriptor 3; by hand it does nothing.
@main
enum TintypeMedia {
    static func main() {
        exit(MediaWorkerProgram.run(MediaFileDecoder.self))
    }
}
