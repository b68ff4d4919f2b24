import ArgumentParser
import Glibc
import LibraryServer

@main
struct TintypeServer {
    static func main() async {
        // Files created by the server are accessible to its user only, however it was started.
        umask(0o077)
        await ServerCommand.main()
    }
}
