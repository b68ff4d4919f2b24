// A shutter button: Enter takes a Live Photo, and the picture of the moment is kept beside the program.
// tintype-agent run &   swift run shutter-button /var/lib/tintype-agent
import FoundationEssentials
import PhotoLibrary

@main
struct ShutterButton {
    static func main() async throws {
        let camera = Camera(agentPath: CommandLine.arguments[1])
        try await camera.preview().write(to: URL(filePath: "preview.jpg"))
        // Away from the main thread, which waits for Enter.
        let following = Task.detached {
            for try await event in camera.events() {
                print("\(event.kind)", event.problem ?? "")
            }
        }
        var order = CaptureOrder()
        order.mode = .live
        while readLine() != nil {
            do {
                for shot in try await camera.capture(order) { print("took \(shot.id), \(shot.byteCount) bytes") }
            } catch {
                print("no picture: \(error)")
            }
        }
        following.cancel()
    }
}
