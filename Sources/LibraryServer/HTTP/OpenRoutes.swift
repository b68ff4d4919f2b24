import DeviceIdentity
import Hummingbird
import LibraryAPI
import LibraryStore

/// Public routes: the authority to pin, and whether the server is up.
struct OpenRoutes {
    let environment: ServerEnvironment

    func register(in registry: inout RouteRegistry) throws {
        let authority = environment.authority
        let receiptKey = authority.receiptKey.verificationKey
        let answer = AuthorityResponse(
            certificates: ([authority.authority.root] + [authority.comingRoot].compactMap(\.self))
                .map { $0.pem + "\n" }.joined(),
            receiptKeys: [.init(id: receiptKey.id.description, publicKey: receiptKey.der)]
        )
        try registry.on(.authority) { _, _ in try .json(answer) }
        try registry.on(.health) { _, _ in .text("ok\n") }
        try registry.on(.readiness) { [store = environment.store] _, _ in
            try await store.checkReadiness()
            return .text("ready\n")
        }
        let description = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
        try registry.on(.description) { _, _ in .text(description, contentType: "application/yaml") }
    }
}
