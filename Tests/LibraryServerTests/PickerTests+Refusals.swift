import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

extension PickerTests {
    /// A request that is refused, with the field at fault and what its refusal says.
    private static let refusals: [(body: String, field: String?, text: String)] = [
        (#"{"purpose":"Print","selectionLimit":1001}"#, "selectionLimit", "1 to 1000, or 0"),
        (
            #"{"purpose":"Print","preselected":["\#(AssetID(rawValue: 1))","\#(AssetID(rawValue: 2))"]}"#,
            "preselected", "At most 1 "
        ),
        (#"{"purpose":"Print","strip":["location","location","captions"]}"#, "strip", "location, captions"),
        (#"{"purpose":"Print","requestID":"\#(String(repeating: "a", count: 129))"}"#, "requestID", "128 bytes"),
        (#"{"purpose":"Print","encoding":"heic"}"#, "encoding", "automatic, current, compatible, original"),
        (#"{"purpose":"Print","strip":["names"]}"#, "strip.0", "location, captions"),
        (#"{"purpose":null}"#, "purpose", "must not be null"),
        ("null", nil, "must not be null"),
    ]

    @Test("A request that is refused names its field and what is allowed")
    func refusalTexts() async throws {
        try await RunningServer.run { server in
            try await server.withOperator { admin in
                let fields = [("Content-Type", "application/json")]
                for (body, field, text) in Self.refusals {
                    let bytes = Array(body.utf8)
                    let answer = try await admin.send("POST", "/v1/picker/sessions", headers: fields, body: bytes)
                    let problem = try answer.json(ProblemDetails.self)
                    #expect(answer.status == 400 && problem.field == field, "\(body): \(answer.text)")
                    #expect(problem.detail.contains(text), "\(body): \(answer.text)")
                }
            }
        }
    }
}
