import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

extension PickerTests {
    @Test("A repeated request is the same session until it ends, then another; a different one is refused")
    func repeatedRequests() async throws {
        try await RunningServer.run { server in
            let caller = try await TestDevice.enroll(at: server)
            try await caller.call(server) { client in
                var request = PickerRequest(purpose: "A picture for the badge.")
                request.requestID = "badge 7"
                func open(_ request: PickerRequest) async throws -> PickerSession {
                    let answer = try await client.send("POST", "/v1/picker/sessions", json: request)
                    #expect(answer.status == 201, "\(answer.text)")
                    return try answer.json()
                }
                let first = try await open(request)
                let path = "/v1/picker/sessions/\(first.id)"
                var others = [request, request]
                others[0].purpose = "A picture for the door."
                others[1].selectionLimit = 2
                let edited = try await client.send("PATCH", path, json: PickerEdit(purpose: others[0].purpose))
                #expect(edited.status == 200, "\(edited.text)")
                for other in others {
                    let refused = try await client.send("POST", "/v1/picker/sessions", json: other)
                    let code = try refused.json(ProblemDetails.self).code
                    #expect(refused.status == 409 && code == .pickerConflict, "\(refused.text)")
                }
                let again = try await open(request)
                #expect(again.id == first.id && again.pickURI != nil && again.pickURI != first.pickURI)
                let ended = try await client.send("DELETE", path)
                #expect(ended.status == 204)
                let next = try await open(others[1])
                #expect(next.id != first.id && next.state == .open && next.pickURI != nil)
                let last = try await open(others[1])
                #expect(last.id == next.id)
            }
        }
    }
}
