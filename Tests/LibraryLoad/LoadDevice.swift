import DeviceIdentity
import Foundation
package import LibraryAPI
package import LibraryClient
package import PhotoModel

/// A device that any program could be: its own key, a certificate from the server, the real client over TLS.
package struct LoadDevice: Sendable {
    /// Names the device.
    package let id: DeviceID
    /// Its connection to the library.
    package let client: LibraryClient
    /// What it shows in the handshake.
    package let identity: CurlSettings.Identity

    /// Enrols a device that may read and write, by a token that the operator makes.
    ///
    /// - Parameters:
    ///   - server: a running server, or what stands in front of several.
    ///   - connections: connections at once.
    /// - Returns: the device.
    /// - Throws: what the library or the transport says.
    package static func enroll(at server: some LoadTarget, connections: Int = 4) async throws -> LoadDevice {
        let token = try await server.operators().call(
            .adminCreateEnrollmentToken,
            body: EnrollmentTokenRequest(maximum: "readWrite"),
            as: EnrollmentTokenResponse.self
        ).token
        let key = DeviceKey()
        let answer = try await server.client().enroll(
            EnrollmentRequest(
                certificateRequest: try key.signingRequest().der,
                token: token,
                name: "load",
                build: "load 1",
                usage: UsageTexts(add: "Puts a load on the library.", readWrite: "Reads back what it put there."),
                levels: ["addOnly", "readWrite"]
            )
        )
        guard let id = answer.deviceID, let chain = answer.certificateChain else {
            throw LoadError("the enrolment gave no certificate")
        }
        let identity = CurlSettings.Identity(certificateChain: chain, key: key.pem)
        return LoadDevice(
            id: id,
            client: try server.client(identity: identity, connections: connections),
            identity: identity
        )
    }

    /// Every asset that the library shows, page by page.
    package func assets() async throws -> [Asset] {
        var assets: [Asset] = []
        var cursor: ListCursor?
        repeat {
            let query = AssetQuery(options: FetchOptions(), limit: APILimits.pageAssetCount, cursor: cursor)
            let page: AssetPage = try await client.call(.assets, query: query.items)
            assets += page.assets
            cursor = page.next
        } while cursor != nil
        return assets
    }

    /// A resource's bytes as the library serves them.
    package func bytes(of resource: ResourceID, in asset: AssetID) async throws -> [UInt8] {
        var request = TransportRequest("GET", "/v1/assets/\(asset)/resources/\(resource)")
        request.answerByteLimit = 256 << 20
        let answer = try await client.transport.send(request)
        guard answer.status == 200 else {
            throw LoadError("resource \(resource) was answered with \(answer.status)")
        }
        return answer.body
    }

    /// Appends bytes to an upload without announcing their digest, so that what arrives before a break is kept.
    package func appendWithoutDigest(
        to upload: UploadID,
        at offset: Int64,
        _ source: BodySource,
        isLast: Bool
    ) async throws -> Int64 {
        var request = TransportRequest("PATCH", "/v1/uploads/\(upload)")
        request.fields = UploadHeaders(offset: offset, isComplete: isLast).fields
        request.fields.append(("Content-Type", UploadHeaders.partialUpload))
        request.body = .source(source)
        let answer = try await client.transport.send(request)
        guard answer.status == 204, let offset = UploadHeaders(field: { answer.field($0) }).offset else {
            let problem = try? JSONDecoder().decode(ProblemDetails.self, from: Data(answer.body))
            throw LibraryClientError(
                problem ?? ProblemDetails(.unavailable, "an append was answered with \(answer.status)")
            )
        }
        return offset
    }
}
