import DeviceIdentity
import LibraryClient
import TestSupport

/// Somebody who makes requests up: an operator, nobody, or a device.
struct FuzzCaller: Sendable {
    /// What a device was told it may do.
    enum Role: String, CaseIterable {
        case all, selected, adding, refused
        /// As the three above, but operators leave it alone: what it may see stays as it was.
        case limited, picking, denied

        /// The operator's answer.
        var answer: String {
            switch self {
            case .all: "all"
            case .selected, .limited: "selected"
            case .adding, .picking: "add-only"
            case .refused, .denied: "none"
            }
        }

        /// Whether its answers are searched for what is hidden.
        var isWatched: Bool { [.limited, .picking, .denied].contains(self) }
    }

    let name: String
    let client: LibraryClient
    var role: Role?
    var key: DeviceKey?
    var replica: FuzzedReplica?

    /// Whether its answers are searched for what is hidden.
    var isWatched: Bool { role?.isWatched ?? false }

    /// Enrols a device and lets the operator answer.
    ///
    /// - Returns: the caller and its device's identifier.
    static func enroll(
        as role: Role,
        at server: ServerProgram,
        _ generator: inout SeededGenerator
    ) async throws -> (FuzzCaller, LoadDevice) {
        let device = try await LoadDevice.enroll(at: server, connections: 2)
        try await server.operators().ask(
            "POST",
            "/v1/admin/devices/\(device.id)/decision",
            "{\"answer\":\"\(role.answer)\"}"
        )
        let caller = FuzzCaller(
            name: role.rawValue,
            client: device.client,
            role: role,
            key: try DeviceKey(pem: device.identity.key),
            replica: FuzzedReplica(&generator)
        )
        return (caller, device)
    }
}

extension LibraryClient {
    /// Makes a request that has to be answered well.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: String) async throws -> TransportResponse {
        var request = TransportRequest(method, path)
        request.fields = [("Content-Type", "application/json")]
        request.body = .bytes(Array(body.utf8))
        let answer = try await transport.send(request)
        guard 200..<300 ~= answer.status else {
            throw LoadError("\(method) \(path) \(body) was answered with \(answer.status)")
        }
        return answer
    }
}
