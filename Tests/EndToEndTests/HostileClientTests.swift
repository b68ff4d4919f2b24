import Foundation
import Glibc
import LibraryClient
import LibraryLoad
import TestSupport
import Testing

/// What an attacker with a connection, or a device gone wrong, sends: floods, drips and bombs.
///
/// The server refuses with a
/// status below 500, holds no more memory than before, and serves the next request.
@Suite(.serialized)
struct HostileClientTests {
    private struct Attack: Sendable {
        let name: String
        let method: String
        let target: String
        let fields: [(name: String, value: String)]
        let body: BodySource
    }

    private static let json = [(name: "Content-Type", value: "application/json")]

    private static func repeated(_ text: String, _ count: Int64) -> BodySource {
        let unit = Array(text.utf8)
        return BodySource(byteCount: Int64(unit.count) * count) { offset, wanted in
            (0..<wanted).map { unit[Int((offset + Int64($0)) % Int64(unit.count))] }
        }
    }

    private static func attacks() -> [Attack] {
        let bomb = [UInt8](repeating: 0x78, count: 100)
        let numbers = "{\"id\":1" + String(repeating: "0", count: 100_000) + "}"
        let exponent = "{\"id\":1e999999999,\"mediaType\":1e-999999999}"
        return [
            Attack(
                name: "JSON beyond its limit",
                method: "POST",
                target: "/v1/assets",
                fields: json,
                body: repeated("{\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaa\"},", 400_000)
            ),
            Attack(name: "deep JSON", method: "POST", target: "/v1/assets", fields: json, body: repeated("[", 200_000)),
            Attack(
                name: "a long number",
                method: "POST",
                target: "/v1/assets",
                fields: json,
                body: BodySource(Array(numbers.utf8))
            ),
            Attack(
                name: "a huge exponent",
                method: "POST",
                target: "/v1/assets",
                fields: json,
                body: BodySource(Array(exponent.utf8))
            ),
            Attack(
                name: "a body said to be compressed",
                method: "POST",
                target: "/v1/assets",
                fields: json + [("Content-Encoding", "gzip")],
                body: BodySource([0x1F, 0x8B, 8, 0] + bomb)
            ),
            Attack(
                name: "a batch that promises 2^63 bytes",
                method: "POST",
                target: "/v1/batches",
                fields: [("Content-Type", "application/vnd.tintype.batch")],
                body: BodySource(Array("TTBATCH1M".utf8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7))
            ),
            Attack(
                name: "a batch of nothing but heads",
                method: "POST",
                target: "/v1/batches",
                fields: [("Content-Type", "application/vnd.tintype.batch")],
                body: BodySource(Array("TTBATCH1".utf8) + [UInt8](repeating: 0x4D, count: 90_000))
            ),
            Attack(
                name: "a filter of a thousand levels",
                method: "GET",
                target: "/v1/assets?filter=" + String(repeating: "%5B", count: 1000),
                fields: [],
                body: BodySource([])
            ),
            Attack(
                name: "a cursor of nonsense",
                method: "GET",
                target: "/v1/assets?cursor=" + String(repeating: "A", count: 5000),
                fields: [],
                body: BodySource([])
            ),
            Attack(
                name: "an offset beyond all numbers",
                method: "PATCH",
                target: "/v1/uploads/00000000-0000-7000-8000-000000000000",
                fields: [
                    ("Content-Type", "application/partial-upload"), ("Upload-Complete", "?1"),
                    ("Upload-Offset", "99999999999999999999"),
                ],
                body: BodySource([1])
            ),
        ]
    }

    @Test("T40, T41: floods, bombs and nonsense from a device get a 4xx, and cost the server no memory")
    func bombs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServerProgram(Bundle.main.bundleURL.appending(path: "tintype-server"), library: folder)
        try server.start()
        let device = try await LoadDevice.enroll(at: server)
        _ = try await device.assets()
        let before = try #require(server.processIdentifier.flatMap { ProcessUsage(of: $0) })
        for attack in Self.attacks() {
            for _ in 0..<3 {
                var request = TransportRequest(attack.method, attack.target)
                request.fields = attack.fields
                if attack.body.byteCount > 0 { request.body = .source(attack.body) }
                request.timeout = .seconds(20)
                // A refusal before the body was read may break the connection, which is a refusal too.
                let status = try? await device.client.transport.send(request).status
                #expect(status.map { 400..<500 ~= $0 } ?? true, "\(attack.name): \(String(describing: status))")
            }
        }
        #expect(try await device.assets() == [])
        let after = try #require(server.processIdentifier.flatMap { ProcessUsage(of: $0) })
        #expect(after.peakByteCount - before.residentByteCount < 64 << 20, "\(after.peakByteCount >> 20) MiB at most")
    }

    @Test("T40: a connection that says nothing is closed after the idle time, and others are served meanwhile")
    func silence() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = Bundle.main.bundleURL.appending(path: "tintype-server")
        let server = try ServerProgram(program, library: folder, settings: ["server.idleTimeoutSeconds=5"])
        try server.start()
        let device = try await LoadDevice.enroll(at: server)
        let descriptors = try (0..<32).map { _ in try connectSilently(to: server.port) }
        #expect(try await device.assets() == [])
        for descriptor in descriptors {
            var byte: UInt8 = 0
            // Nothing comes but the end; a server that waited for ever would make this one wait for ever too.
            #expect(unsafe read(descriptor, &byte, 1) <= 0)
            close(descriptor)
        }
        #expect(try await device.assets() == [])
    }

    /// A TCP connection that never says a word.
    private func connectSilently(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }
}
