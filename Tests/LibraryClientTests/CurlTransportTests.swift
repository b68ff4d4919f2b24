import DeviceIdentity
import Foundation
import LibraryClient
import TestSupport
import Testing

/// Against a small server of Python's standard library, over real TLS on the loopback.
@Suite(.serialized)
struct CurlTransportTests {
    @Test("A request goes over TLS 1.3 to the pinned server, with its body in pieces, and the answer comes whole")
    func echo() async throws {
        let server = try LoopbackServer()
        let transport = try CurlTransport(server.settings())
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var request = TransportRequest("POST", "/echo", fields: [("X-Test", "yes")])
        request.body = .source(BodySource(bytes))
        let answer = try await transport.send(request)
        #expect(answer.status == 200)
        #expect(answer.body == bytes)
        #expect(answer.field("x-tls") == "TLSv1.3" && answer.field("X-TEST") == "yes")
    }

    @Test("T11: a server that is not the pinned one is sent nothing")
    func wrongAuthority() async throws {
        let server = try LoopbackServer()
        let other = try CertificateAuthority(rootKey: DeviceKey()).root.pem
        var settings = server.settings()
        settings.trust = .pinned(other)
        let transport = try CurlTransport(settings)
        var request = TransportRequest("POST", "/echo")
        request.body = .bytes(Array("secret".utf8))
        let secret = request
        let error = await #expect(throws: TransportError.self) { try await transport.send(secret) }
        #expect(error?.code == .untrusted)
        #expect(
            try await CurlTransport(server.settings()).send(TransportRequest("GET", "/count")).body == Array("0".utf8)
        )
    }

    @Test("A redirect is an answer like any other, and is not followed")
    func redirect() async throws {
        let server = try LoopbackServer()
        let answer = try await CurlTransport(server.settings()).send(TransportRequest("GET", "/redirect"))
        #expect(answer.status == 302 && answer.body.isEmpty)
    }

    @Test("An answer beyond its limit is refused, in the body and in the header")
    func limits() async throws {
        let server = try LoopbackServer()
        let transport = try CurlTransport(server.settings())
        let body = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("GET", "/large", answerByteLimit: 1000))
        }
        #expect(body?.code == .answerTooLarge)
        let header = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("GET", "/headers"))
        }
        #expect(header?.code == .answerTooLarge)
    }

    @Test("A server that says nothing is left after the time limit, one that breaks off is an interruption")
    func faults() async throws {
        let server = try LoopbackServer()
        let transport = try CurlTransport(server.settings())
        var silent = TransportRequest("GET", "/silent")
        silent.timeout = .milliseconds(300)
        let patient = silent
        let late = await #expect(throws: TransportError.self) { try await transport.send(patient) }
        #expect(late?.code == .timedOut)
        let cut = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("GET", "/cut"))
        }
        #expect(cut?.code == .interrupted)
        let after = try await transport.send(TransportRequest("GET", "/count"))
        #expect(after.status == 200, "the transport goes on after faults")
    }

    @Test("A request that is sent once ends with a used connection; libcurl sends others again")
    func sentOnce() async throws {
        let server = try LoopbackServer()
        let transport = try CurlTransport(server.settings())
        for (isSentOnce, count) in [(true, "1"), (false, "3")] {
            #expect(try await transport.send(TransportRequest("GET", "/count")).status == 200, "the connection is used")
            var request = TransportRequest("GET", "/hang-up")
            request.isSentOnce = isSentOnce
            let wait = request
            let cut = await #expect(throws: TransportError.self) { try await transport.send(wait) }
            #expect(cut?.code == .interrupted, "\(cut?.message ?? "")")
            let told = try await transport.send(TransportRequest("GET", "/hang-ups")).body
            #expect(told == Array(count.utf8), "\(String(decoding: told, as: UTF8.self))")
        }
    }

    @Test("A cancelled task ends its transfer at once")
    func cancellation() async throws {
        let server = try LoopbackServer()
        let transport = try CurlTransport(server.settings())
        let task = Task { try await transport.send(TransportRequest("GET", "/silent")) }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("A body that cannot be read ends the request, and a line break in a field starts none")
    func localFaults() async throws {
        let server = try LoopbackServer()
        let transport = try CurlTransport(server.settings())
        var request = TransportRequest("POST", "/echo")
        request.body = .source(BodySource(byteCount: 10) { _, _ in throw CancellationError() })
        let broken = request
        let unread = await #expect(throws: TransportError.self) { try await transport.send(broken) }
        #expect(unread?.code == .localFailure)
        let smuggled = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("GET", "/count", fields: [("X-A", "b\r\nX-C: d")]))
        }
        #expect(smuggled?.code == .localFailure)
    }

    @Test(
        "Through a proxy the server is the same, pinned and encrypted to its end; one that is not there is unreachable"
    )
    func proxy() async throws {
        let server = try LoopbackServer()
        var settings = server.settings()
        settings.proxy = "http://127.0.0.1:\(server.proxyPort)"
        let transport = try CurlTransport(settings)
        var request = TransportRequest("POST", "/echo")
        request.body = .bytes([1, 2, 3])
        let answer = try await transport.send(request)
        #expect(answer.body == [1, 2, 3] && answer.field("x-tls") == "TLSv1.3")
        #expect(try await transport.send(TransportRequest("GET", "/tunnels")).body == Array("1".utf8), "one connection")
        settings.proxy = "http://127.0.0.1:1"
        let nobody = try CurlTransport(settings)
        let error = await #expect(throws: TransportError.self) {
            try await nobody.send(TransportRequest("GET", "/count"))
        }
        #expect(error?.code == .unreachable)
    }

    @Test("A cap on what is sent is kept: so many bytes take at least so long")
    func cap() async throws {
        let server = try LoopbackServer()
        var settings = server.settings()
        settings.sendBytesPerSecond = 400_000
        var request = TransportRequest("POST", "/echo")
        request.body = .bytes([UInt8](repeating: 7, count: 1_000_000))
        let begin = ContinuousClock.now
        let answer = try await CurlTransport(settings).send(request)
        #expect(answer.body.count == 1_000_000)
        // Without the cap it takes milliseconds; what lies in buffers is sent at once.
        #expect(ContinuousClock.now - begin > .milliseconds(800))
    }

    @Test("Uploads at once share one cap")
    func sharedCap() async throws {
        let server = try LoopbackServer()
        var settings = server.settings()
        settings.sendBytesPerSecond = 400_000
        let transport = try CurlTransport(settings)
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var request = TransportRequest("POST", "/echo")
                    request.body = .bytes([UInt8](repeating: 7, count: 600_000))
                    let answer = try await transport.send(request)
                    #expect(answer.body.count == 600_000)
                }
            }
            try await group.waitForAll()
        }
        // Each with the cap for itself would take 1.5 s.
        #expect(ContinuousClock.now - begin > .seconds(2))
    }

    @Test("Nobody there is unreachable")
    func unreachable() async throws {
        let origin = try #require(ServerOrigin("https://127.0.0.1:1"))
        let transport = try CurlTransport(CurlSettings(origin: origin, trust: .anybody))
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("GET", "/"))
        }
        #expect(error?.code == .unreachable)
    }
}

/// A TLS server in a child process, with an authority of its own.
private final class LoopbackServer {
    private let process = Process()
    private let folder: URL
    private let port: Int
    private let authority: String
    /// Where a proxy tunnels to anybody.
    let proxyPort: Int

    init() throws {
        let made = try CertificateAuthority(rootKey: DeviceKey())
        let key = DeviceKey()
        guard let host = HostAddress("127.0.0.1") else { throw TransportError(.localFailure, "no such host") }
        let certificate = try made.serverCertificate(
            for: key,
            hosts: [host]
        )
        authority = made.root.pem
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-loopback-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let chain = [certificate.pem, made.intermediate.pem].joined(separator: "\n") + "\n"
        try chain.write(to: folder.appending(path: "chain.pem"), atomically: true, encoding: .utf8)
        try key.pem.write(to: folder.appending(path: "key.pem"), atomically: true, encoding: .utf8)
        let script = folder.appending(path: "server.py")
        try Self.script.write(to: script, atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runAlone()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let ports = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard ports.count == 2 else { throw TransportError(.localFailure, "the server said \(line)") }
        (port, proxyPort) = (ports[0], ports[1])
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    func settings() -> CurlSettings {
        guard let origin = ServerOrigin("https://127.0.0.1:\(port)") else { preconditionFailure("a port is a number") }
        var settings = CurlSettings(origin: origin, trust: .pinned(authority))
        // A handshake beside a thousand other tests takes its time.
        settings.connectTimeout = .seconds(300)
        settings.stallTimeout = .seconds(300)
        return settings
    }

    private static let script = """
        import http.server, socket, socketserver, ssl, time, threading
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            count = 0
            cuts = 0
            def answer(self, status, body, fields={}):
                self.send_response(status)
                for name, value in fields.items(): self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_POST(self):
                Handler.count += 1
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(200, body, {"X-TLS": self.connection.version(), "X-Test": self.headers.get("X-Test", "")})
            def do_GET(self):
                if self.path == "/tunnels": self.answer(200, str(Tunnel.count).encode())
                elif self.path == "/hang-ups": self.answer(200, str(Handler.cuts).encode())
                elif self.path == "/hang-up":
                    Handler.cuts += 1
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                elif self.path == "/count": self.answer(200, str(Handler.count).encode())
                elif self.path == "/redirect": self.answer(302, b"", {"Location": "/count"})
                elif self.path == "/large": self.answer(200, b"x" * 2000)
                elif self.path == "/headers": self.answer(200, b"", {"X-%d" % i: "y" * 60 for i in range(2000)})
                elif self.path == "/silent": time.sleep(30)
                elif self.path == "/cut":
                    self.send_response(200)
                    self.send_header("Content-Length", "1000")
                    self.end_headers()
                    self.wfile.write(b"x" * 10)
                    self.wfile.flush()
                    self.connection.unwrap().close()
                    self.close_connection = True
            def log_message(self, *a): pass
        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            def handle_error(self, *a): pass
            def finish_request(self, request, address):
                request.settimeout(600)
                self.RequestHandlerClass(context.wrap_socket(request, server_side=True), address, self)
        class Tunnel(socketserver.StreamRequestHandler):
            count = 0
            def handle(self):
                words = self.rfile.readline().split()
                while self.rfile.readline().strip(): pass
                if words[:1] != [b"CONNECT"]: return
                Tunnel.count += 1
                host, port = words[1].decode().rsplit(":", 1)
                with socket.create_connection((host, int(port))) as target:
                    self.wfile.write(b"HTTP/1.1 200 Connected\\r\\n\\r\\n")
                    def back():
                        while data := target.recv(65536): self.request.sendall(data)
                    threading.Thread(target=back, daemon=True).start()
                    while data := self.rfile.read1(65536): target.sendall(data)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("chain.pem", "key.pem")
        server = Server(("127.0.0.1", 0), Handler)
        proxy = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Tunnel)
        proxy.daemon_threads = True
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        print(f"{server.server_address[1]} {proxy.server_address[1]}", flush=True)
        server.serve_forever()
        """
}
