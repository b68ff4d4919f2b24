import Capture
import Foundation
import Testing

@testable import MediaEncoding

/// Cameras that send the box elsewhere: a fake one on loopback, beside a server that nobody may ask.
struct CameraRedirectTests {
    /// Answers `/video` with a redirect or a playlist, and writes a file when anything else is asked for, anywhere.
    private static let webCamera = """
        import http.server, sys, threading
        kind, location = sys.argv[1].split(" ")
        class Elsewhere(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments): pass
            def do_GET(self):
                open(sys.argv[2], "w").close()
                self.send_error(404)
        def serve(handler):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever).start()
            return server.server_port
        location = location.replace("ELSEWHERE", f"127.0.0.1:{serve(Elsewhere)}")
        class Camera(Elsewhere):
            def do_GET(self):
                if self.path != "/video": return super().do_GET()
                body = b""
                if kind == "playlist":
                    body = f"#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\n{location}\\n#EXT-X-ENDLIST\\n".encode()
                self.send_response(200 if body else 302)
                self.send_header("Content-Length", str(len(body)))
                if not body: self.send_header("Location", location)
                self.end_headers()
                self.wfile.write(body)
        print(serve(Camera), flush=True)
        """

    /// Redirects in its answer to DESCRIBE, and writes a file when the other server is sent anything.
    private static let streamCamera = """
        import socket, sys, threading
        def serve(answer):
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            def run():
                while True:
                    with listener.accept()[0] as player:
                        try: answer(player)
                        except OSError: pass
            threading.Thread(target=run).start()
            return listener.getsockname()[1]
        def elsewhere(player):
            if player.recv(4096): open(sys.argv[2], "w").close()
        location = sys.argv[1].replace("ELSEWHERE", f"127.0.0.1:{serve(elsewhere)}")
        def camera(player):
            pending = b""
            while True:
                while b"\\r\\n\\r\\n" not in pending:
                    data = player.recv(4096)
                    if not data: return
                    pending += data
                head, pending = pending.split(b"\\r\\n\\r\\n", 1)
                lines = head.decode().split("\\r\\n")
                number = next(line for line in lines if line.startswith("CSeq: "))
                status = "302 Found" if lines[0].startswith("DESCRIBE") else "200 OK"
                player.sendall(f"RTSP/1.0 {status}\\r\\n{number}\\r\\nLocation: {location}\\r\\n\\r\\n".encode())
        print(serve(camera), flush=True)
        """

    @Test(
        "T127: a web camera that redirects, or delivers a playlist, is refused, and what it names is not asked for",
        .enabled(if: MediaInput.limitsRedirects, "this FFmpeg follows redirects over HTTP: docs/install.md"),
        arguments: ["redirect http://ELSEWHERE/video", "redirect /other", "playlist http://ELSEWHERE/0.ts"]
    )
    func web(answer: String) async throws {
        let error = try await Self.refusal(of: Self.webCamera, answer) { "http://user:secret@127.0.0.1:\($0)/video" }
        #expect(error?.code == .deviceLost)
    }

    @Test("T127: a camera that redirects in RTSP is refused, and the other host is sent nothing, no password either")
    func stream() async throws {
        let error = try await Self.refusal(of: Self.streamCamera, "rtsp://ELSEWHERE/video") {
            "rtsp://user:secret@127.0.0.1:\($0)/gate"
        }
        #expect(error?.code == .deviceLost)
        let cause = error?.cause as? MediaEncodingError
        #expect(cause?.message.contains("redirects") == true && cause?.message.contains("secret") == false)
    }

    @Test("A container is read only from where it is delivered")
    func containers() throws {
        #expect(try CameraAddress("rtsps://camera/x").containers == "rtsp")
        for address in ["https://camera/x", "/recording.mp4"] {
            let containers = try CameraAddress(address).containers.split(separator: ",")
            #expect(containers.contains("mpjpeg") && !containers.contains("rtsp") && !containers.contains("hls"))
        }
    }

    /// Opens a camera of a hostile server, and expects that the server saw no request but the camera's own.
    private static func refusal(
        of server: String,
        _ answer: String,
        address: (_ port: Int) -> String
    ) async throws -> CaptureError? {
        let asked = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: asked) }
        var error: CaptureError?
        try await NetworkCameraTests.withPython(server, [answer, asked.path]) { port in
            let text = address(port)
            error = await #expect(throws: CaptureError.self) { _ = try await NetworkCameraTests.run(text) }
        }
        #expect(!FileManager.default.fileExists(atPath: asked.path), "something else was asked for")
        return error
    }
}
