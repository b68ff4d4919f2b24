import AsyncHTTPClient
import Authorization
import DeviceIdentity
import Foundation
import LibraryStore
import NIOCore
import PhotoModel
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Rights that change while they are used.
struct RightsAttackTests {
    // Devices are named by text: Swift 6.3.1 on x86-64 loses asynchronous calls with 128-bit arguments.
    private func decide(about device: String, _ answer: String, at server: RunningServer) async throws {
        let status = try await server.withOperator { admin in
            let path = "/v1/admin/devices/\(device)/decision"
            return try await admin.send("POST", path, json: DecisionRequest(answer: answer)).status
        }
        #expect(status == 200)
    }

    private func select(for device: String, _ assets: Set<AssetID>, at server: RunningServer) async throws {
        let status = try await server.withOperator { admin in
            try await admin.send("PUT", "/v1/admin/selections/\(device)", json: Selection(assets: assets)).status
        }
        #expect(status == 200)
    }

    @Test(
        "T16: a device that is denied in the middle of an upload commits nothing, and goes on where it was once allowed"
    )
    func downgradeDuringUpload() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 1000)
            let half = Array(photo.bytes[..<400])
            let rest = Array(photo.bytes[400...])
            try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first).id
                #expect(try await client.append(half, to: upload, at: 0, isComplete: false).status == 204)
                try await decide(about: "\(device.id)", "none", at: server)
                let refused = try await untilAnswered {
                    try await client.append(rest, to: upload, at: 400, isComplete: true)
                }
                #expect(try refused.json(ProblemDetails.self).code == .denied)
                let commit = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                #expect(try commit.json(ProblemDetails.self).code == .denied)
                #expect(try commit.json(ProblemDetails.self).retry == .onDecision)
                let library = try await server.environment.store.metadata.statistics()
                #expect(library.assets == 0 && library.contents == 0)
                try await decide(about: "\(device.id)", "add-only", at: server)
                // What is appended is asked once: whatever connection the decision closed is gone by then.
                _ = try await untilAnswered { try await client.send("GET", "/v1/authorization") }
                #expect(try await client.append(rest, to: upload, at: 400, isComplete: true).status == 204)
                #expect(try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit").status == 200)
            }
        }
    }

    @Test("T19: what a limited device does to an asset that just left its view finds nothing")
    func leftTheView() async throws {
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 300)
            _ = try await owner.call(server) { try await $0.save(photo) }
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            try await select(for: "\(limited.id)", [photo.manifest.id], at: server)
            try await limited.call(server) { client in
                let path = "/v1/assets/\(photo.manifest.id)"
                let favorite = AssetEdit.making { $0.isFavorite = true }
                #expect(try await client.send("PATCH", path, json: favorite).status == 200)
                try await select(for: "\(limited.id)", [], at: server)
                let request = AdjustmentRequest(
                    adjustment: Adjustment(formatIdentifier: "x", formatVersion: "1"),
                    resources: []
                )
                let statuses = [
                    try await untilAnswered { try await client.send("PATCH", path, json: favorite) }.status,
                    try await client.send("DELETE", path).status,
                    try await client.send("DELETE", path + "/adjustments").status,
                    try await client.send("GET", path).status,
                    try await client.send("GET", path + "/live-photo.zip").status,
                ]
                #expect(statuses == [404, 404, 404, 404, 404])
                #expect(try await client.send("POST", path + "/adjustments", json: request).status == 422)
            }
        }
    }

    @Test("T20: bytes that are being read end when their asset leaves the selection, and go on nowhere")
    func selectionWhileStreaming() async throws {
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto(bytes: Array(repeating: 7, count: 48 << 20))
            _ = try await owner.call(server) { try await $0.save(photo) }
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            try await select(for: "\(limited.id)", [photo.manifest.id], at: server)
            try await limited.call(server) { client in
                let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
                let response = try await client.client.execute(
                    HTTPClientRequest(url: client.base + path),
                    timeout: TestClient.patience
                )
                var received = 0
                var chunks = response.body.makeAsyncIterator()
                received += try await chunks.next()?.readableBytes ?? 0
                try await select(for: "\(limited.id)", [], at: server)
                await #expect(throws: (any Error).self) {
                    while let chunk = try await chunks.next() { received += chunk.readableBytes }
                }
                #expect(received < photo.bytes.count)
                let rest = try await client.send("GET", path, headers: [("Range", "bytes=\(received)-")])
                #expect(rest.status == 404)
            }
        }
    }

    /// What a device that may only add is answered: nothing of what the library holds.
    private static let routesWithoutContent: Set<Endpoint> = [
        .authority, .health, .readiness, .description, .page, .pageFile, .loginForm, .enrollment, .identityState,
        .authorization, .receipts, .receipt, .picker, .pickedItems, .pickedItem,
    ]

    @Test("T9: a key that may only add, on other hardware, reads nothing back, not even what it saved")
    func stolenKey() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 300)
            _ = try await device.call(server) { try await $0.save(photo) }
            let thief = TestDevice(
                id: device.id,
                key: try DeviceKey(pem: device.key.pem),
                certificate: try IdentityCertificate(pem: device.certificate.pem)
            )
            let asset = photo.manifest.id.description
            let reading = Endpoint.all.filter { $0.method == .get && !Self.routesWithoutContent.contains($0) }
            #expect(Set(reading).isSuperset(of: [.assets, .asset, .resource, .thumbnail, .changes, .changeStream]))
            try await thief.call(server) { client in
                #expect(try await client.send("GET", "/v1/authorization").status == 200)
                for endpoint in reading {
                    let path = endpoint.template.replacing("{resource}", with: photo.resource.id.description)
                        .replacing(/\{\w+\}/, with: asset)
                    let answer = try await client.send("GET", path)
                    #expect(answer.status == 403, "\(path): \(answer.status)")
                    #expect(!answer.text.contains(asset), "\(path)")
                }
                let request = ArchiveRequest(assets: [photo.manifest.id])
                let archive = try await client.send("POST", "/v1/archives", json: request)
                #expect(try archive.json(ProblemDetails.self).code == .insufficientScope)
            }
        }
    }

    @Test("T24: a device has one open question a level, and what was decided is told again without a new one")
    func requestSpam() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                for _ in 0..<20 {
                    let request = AuthorizationRequest(level: "readWrite", usage: "Shows it at the desk.")
                    let asked = try await client.send("POST", "/v1/authorization/requests", json: request)
                    #expect(asked.status == 200, "\(asked.text)")
                }
            }
            let inbox = try await server.withOperator { try await $0.send("GET", "/v1/admin/requests") }
            #expect(try inbox.json(AccessRequestPage.self).requests.count <= 1)
        }
    }

    @Test(
        "T25: a denied box that enrols again with its key stays denied; a new key is a new device, shown as look-alike"
    )
    func reinstalled() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await decide(about: "\(device.id)", "none", at: server)
            let token = try await server.withOperator { admin in
                let answer = try await admin.send(
                    "POST",
                    "/v1/admin/enrollment-tokens",
                    json: EnrollmentTokenRequest(maximum: "addOnly", uses: 5)
                )
                return try answer.json(EnrollmentTokenResponse.self).token
            }
            let again = try await server.withClient { client in
                try await client.send("POST", "/v1/enrollments", json: TestDevice.request(device.key, token: token))
            }
            #expect(try again.json(ProblemDetails.self).code == .enrollmentConflict)
            let status = try await device.call(server) { try await $0.send("GET", "/v1/authorization") }
            #expect(try status.json(AuthorizationResponse.self).addOnly == .denied)
            let other = try await TestDevice.enroll(at: server)
            let shown = try await server.withOperator { try await $0.send("GET", "/v1/admin/devices/\(other.id)") }
            #expect(try shown.json(DeviceSummary.self).lookAlikes == [device.id])
        }
    }
}
