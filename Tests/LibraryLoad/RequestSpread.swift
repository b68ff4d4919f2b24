import LibraryClient
import Synchronization

/// Which servers of a cluster answered the requests of each upload.
final class RequestSpread: Sendable {
    /// Counts of uploads.
    struct Counts: Hashable, Sendable {
        /// Uploads with several answered requests.
        var several = 0
        /// Those of them that more than one server answered.
        var spread = 0
    }

    /// The servers that answered, by the upload's path.
    private let servers = Mutex<[String: [String]]>([:])

    var counts: Counts {
        servers.withLock { servers in
            let several = servers.values.filter { $0.count > 1 }
            return Counts(several: several.count, spread: several.count { Set($0).count > 1 })
        }
    }

    func note(_ target: String, servedBy server: String) {
        servers.withLock { $0[target, default: []].append(server) }
    }
}

/// A transport through the HAProxy of `deploy/cluster`, which names the answering server in `Served-By`.
struct SpreadTransport: Transport {
    let transport: any Transport
    let spread: RequestSpread

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer = try await transport.send(request)
        if request.target.hasPrefix("/v1/uploads/"), let server = answer.field("Served-By") {
            spread.note(request.target, servedBy: server)
        }
        return answer
    }
}
