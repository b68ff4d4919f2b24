import Capture
import Foundation
import MediaEncoding
import PhotoModel
import Testing

/// A camera that speaks RTSP (RFC 2326) on loopback: ffmpeg packs the pictures, a little server in Python hands them on.
struct RTSPCameraTests {
    /// Answers the five requests that a player makes, and sends the packets over the same connection (10.12).
    private static let server = """
        import os, socket, subprocess, sys, threading, time
        description = sys.argv[1]
        media = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        media.bind(("127.0.0.1", 0))
        target = f"rtp://127.0.0.1:{media.getsockname()[1]}"
        subprocess.Popen(["ffmpeg", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=10", "-c:v", "libx264",
            "-tune", "zerolatency", "-g", "5", "-pix_fmt", "yuv420p", "-sdp_file", description, "-f", "rtp", target],
            stdin=subprocess.DEVNULL, preexec_fn=lambda: __import__("ctypes").CDLL(None).prctl(1, 9))
        def session():
            while not os.path.exists(description) or os.path.getsize(description) == 0: time.sleep(0.02)
            lines = [line for line in open(description).read().splitlines() if line.startswith(("v=", "o=", "s=", "t=", "m=", "a="))]
            lines = ["m=video 0 RTP/AVP 96" if line.startswith("m=") else line for line in lines]
            return "\\r\\n".join(lines + ["a=control:track"]) + "\\r\\n"
        def relay(player):
            try:
                while True:
                    packet = media.recv(65536)
                    player.sendall(b"$\\0" + len(packet).to_bytes(2, "big") + packet)
            except OSError: pass
        def serve(player):
            pending = b""
            while True:
                while b"\\r\\n\\r\\n" not in pending:
                    data = player.recv(4096)
                    if not data: return
                    pending += data
                head, pending = pending.split(b"\\r\\n\\r\\n", 1)
                # Reports of the player (RTCP) lie between the requests.
                head = head[max(head.rfind(word) for word in (b"OPTIONS", b"DESCRIBE", b"SETUP", b"PLAY", b"TEARDOWN", b"GET_PARAMETER")):].decode()
                method, fields = head.split(" ")[0], dict(line.split(": ", 1) for line in head.split("\\r\\n")[1:])
                extra, body = "", ""
                if method == "OPTIONS": extra = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\\r\\n"
                if method == "DESCRIBE":
                    body = session()
                    extra = f"Content-Type: application/sdp\\r\\nContent-Length: {len(body)}\\r\\n"
                if method == "SETUP": extra = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\\r\\nSession: 1\\r\\n"
                player.sendall(f"RTSP/1.0 200 OK\\r\\nCSeq: {fields['CSeq']}\\r\\n{extra}\\r\\n{body}".encode())
                if method == "PLAY": threading.Thread(target=relay, args=(player,), daemon=True).start()
                if method == "TEARDOWN": return
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(listener.getsockname()[1], flush=True)
        while True:
            # A player that has seen enough hangs up in the middle of whatever it is being sent.
            try: serve(listener.accept()[0])
            except OSError: pass
        """

    @Test("A camera on the network is read by RTSP: its size, and its pictures one after the other")
    func stream() async throws {
        let description = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: description) }
        try await NetworkCameraTests.withPython(Self.server, [description.path]) { port in
            let address = "rtsp://127.0.0.1:\(port)/gate"
            let (format, frames, error) = try await NetworkCameraTests.run(address, limit: 12)
            #expect(error == nil)
            #expect(format.size == PixelSize(width: 320, height: 240))
            #expect(frames.count == 12)
            #expect(frames.allSatisfy { $0.bytes.count == 320 * 240 * 3 / 2 })
            let times = frames.map(\.info.timestamp)
            let distances = zip(times, times.dropFirst()).map { $1.duration(since: $0) }
            #expect(distances.allSatisfy { $0 > .zero })
            // The pattern moves: no two pictures are the same.
            #expect(Set(frames.map(\.bytes)).count == 12)
        }
    }
}
