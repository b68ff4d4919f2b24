import Authorization
import LibraryAPI
import PhotoModel
import Testing

struct EndpointTests {
    @Test("a route is declared once")
    func distinct() {
        #expect(Set(Endpoint.all.map(\.description)).count == Endpoint.all.count)
    }

    @Test("I1: every endpoint is judged by a row of the endpoint table")
    func judged() {
        for endpoint in Endpoint.all {
            #expect(Route(method: endpoint.method.rawValue, template: endpoint.template) != nil, "\(endpoint)")
        }
    }

    @Test("a value fills in one segment of a path, hostile ones included")
    func filledPaths() {
        let values = ["a", "../etc", "x y", "ü%2F", "?#&", "{id}"]
        for route in Endpoint.all where route.parameters.count == 1 {
            let template = route.template.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            for value in values {
                let segments = route.path([value]).split(separator: "/", omittingEmptySubsequences: false)
                let read = segments.map { PercentEncoding.decode($0) ?? "" }
                #expect(read == template.map { $0.hasPrefix("{") ? value : $0 }, "\(route)")
            }
        }
        #expect(Endpoint.resource.path(["1", "2"]) == "/v1/assets/1/resources/2")
    }

    @Test("a query comes back as it was made, and a broken escape is refused")
    func queries() {
        let items = [("filter", #"{"text":"a&b=c"}"#), ("cursor", ""), ("ü", "100%")]
        let read = PercentEncoding.items(ofQuery: PercentEncoding.query(items))
        #expect(read?.map(\.name) == items.map(\.0))
        #expect(read?.map(\.value) == items.map(\.1))
        // As forms and browsers write a space.
        #expect(PercentEncoding.items(ofQuery: "a=red+fox%2Bhound")?.first?.value == "red fox+hound")
        for broken in ["a=%", "a=%2", "a=%zz", "%ff=1"] {
            #expect(PercentEncoding.items(ofQuery: broken) == nil)
        }
    }
}
