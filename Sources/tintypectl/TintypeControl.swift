import AdminCommands
import Glibc

@main
struct TintypeControl {
    static func main() async {
        exit(await AdminCommand.execute(Array(CommandLine.arguments.dropFirst())))
    }
}
