import LibraryAPI
import PhotoModel
import Testing

struct RouteQueryTests {
    @Test("A query is read as it was written, and what is nil is not written")
    func roundTrip() throws {
        let device = DeviceID(rawValue: 7)
        let query = AuditQuery(after: 7, limit: 20, device: device)
        #expect(query.items.map(\.name) == ["after", "limit", "device"])
        let read = try AuditQuery(items: query.items)
        #expect(read.after == 7 && read.limit == 20 && read.device == device)
        #expect(AuditQuery().items.isEmpty)
        var stripping = ResourceQuery()
        stripping.format = .jpeg
        stripping.stripped = StrippedParts("location,captions")
        #expect(stripping.items.map(\.value) == ["jpeg", "captions,location"])
        #expect(try ResourceQuery(items: stripping.items).stripped?.parts == [.location, .captions])
    }

    @Test(
        "An unknown or invalid item is refused by its name",
        arguments: [
            ("limit", "0"), ("limit", "1001"), ("limit", "ten"), ("limit", "99999999999999999999"), ("limit", ""),
            ("after", "-1"), ("device", "7"), ("since", "1"), ("", ""), ("Limit", "1"),
        ]
    )
    func refused(name: String, value: String) {
        let error = #expect(throws: ProblemDetails.self) { try AuditQuery(items: [(name, value)]) }
        #expect(error?.code == .malformedRequest && error?.field == name)
    }

    @Test("Of an item that occurs twice the first one counts, and a range is told")
    func details() throws {
        #expect(try ReceiptQuery(items: [("after", "1"), ("after", "2")]).after == 1)
        let error = #expect(throws: ProblemDetails.self) { try ChangeQuery(items: [("wait", "56")]) }
        #expect(error?.detail == "The query item “wait” must be 0 to 55 seconds.")
    }
}
