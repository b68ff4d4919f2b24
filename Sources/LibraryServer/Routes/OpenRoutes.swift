import DeviceIdentity
import Hummingbird
import LibraryAPI

/// What anybody may fetch: the authority to pin, and whether the server is up.
struct OpenRoutes {
    let environment: ServerEnvironment

    func register(in registry: inout RouteRegistry) throws {
        let authority = environment.authority
        let receiptKey = authority.receiptKey.verificationKey
        let answer = AuthorityAnswer(
            certificates: authority.authority.root.pem + "\n",
            receiptKeys: [.init(id: receiptKey.id.description, publicKey: receiptKey.der)]
        )
        try registry.on(.authority) { _, _ in try .json(answer) }
        try registry.on(.health) { _, _ in .text("ok\n") }
    }
}
