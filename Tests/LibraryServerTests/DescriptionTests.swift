import LibraryAPI
import Testing
import Yams

@testable import LibraryServer

struct DescriptionTests {
    private func describedOperations() async throws -> (Set<String>, Node) {
        var text = ""
        try await RunningServer.run { server in
            let answer = try await server.withClient { try await $0.send("GET", "/v1/openapi.yaml") }
            #expect(answer.headers["content-type"] == "application/yaml")
            text = answer.text
        }
        let root = try #require(try Yams.compose(yaml: text))
        var operations: Set<String> = []
        for (path, item) in try #require(root["paths"]?.mapping) {
            for (method, _) in try #require(item.mapping) {
                operations.insert("\(try #require(method.string).uppercased()) \(try #require(path.string))")
            }
        }
        return (operations, root)
    }

    @Test("openapi.yaml describes exactly the declared routes, and the router serves exactly these")
    func complete() async throws {
        let (operations, _) = try await describedOperations()
        let declared = Set(Endpoint.all.map(\.description))
        #expect(operations.symmetricDifference(declared).sorted() == [])
        try await RunningServer.run { server in
            let settings = try ServerSettings(from: SettingsReader(yaml: "", environment: [:], flags: []))
            let assembly = try LibraryServer(settings: settings, environment: server.environment).assemble()
            let served = Set(assembly.endpoints.map(\.description))
            #expect(served.symmetricDifference(declared).sorted() == [])
        }
    }

    @Test("Every reference within openapi.yaml leads somewhere")
    func references() async throws {
        let (_, root) = try await describedOperations()
        func check(_ node: Node) {
            switch node {
            case .mapping(let mapping):
                for (key, value) in mapping {
                    if key.string == "$ref", let reference = value.string {
                        let target = reference.dropFirst(2).split(separator: "/").reduce(root as Node?) { node, name in
                            node?[String(name)]
                        }
                        #expect(target != nil, "\(reference)")
                    } else {
                        check(value)
                    }
                }
            case .sequence(let sequence): for item in sequence { check(item) }
            case .scalar, .alias: break
            }
        }
        check(root)
    }
}
