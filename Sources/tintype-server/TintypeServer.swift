import ArgumentParser
import Glibc
import Host
import LibraryServer

@main
struct TintypeServer {
    static func main() async {
        // Files created by the server are accessible to its user only, however it was started.
        umask(0o077)
        // Many threads handle uploads in turn, but only as many as there are processors at once.
        ProcessHeap.limitArenas(to: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        await ServerCommand.main()
    }
}
