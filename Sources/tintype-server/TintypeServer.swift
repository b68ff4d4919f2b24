import ArgumentParser
import Glibc
import LibraryServer

@main
struct TintypeServer {
    static func main() async {
        // What the server makes is its user's alone, however it was started.
        umask(0o077)
        await ServerCommand.main()
    }
}
