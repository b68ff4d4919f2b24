import ArgumentParser
import LibraryServer

@main
struct TintypeServer {
    static func main() async {
        await ServerCommand.main()
    }
}
