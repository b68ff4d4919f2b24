import HTTPTypes
import Hummingbird
import LibraryAPI

/// The web page's documents and files.
///
/// They contain no library data: they request it like everybody else.
struct WebRoutes {
    let page: WebPage

    init(_ settings: ServerSettings) {
        page = WebPage(mapLink: settings.mapLink, embedders: settings.pickerEmbeddingOrigins)
    }

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.page) { [page] call, _ in
            page.document("index.html", ContentCoding.preferred(by: call))
        }
        try registry.on(.loginForm) { [page] call, _ in
            page.document("login.html", ContentCoding.preferred(by: call))
        }
        try registry.on(.pageFile) { [page] call, _ in
            try page.file(call.parameter("file"), version: call.parameter("version"), ContentCoding.preferred(by: call))
        }
        // A browser that is not logged in gets the refusal's status, and the page that explains how to log in.
        let refused = { @Sendable [page] (call: Call, problem: ProblemDetails) -> Response? in
            guard problem.status == 401, call.header("Accept")?.contains("text/html") == true else { return nil }
            var response = page.document("pick.html", ContentCoding.preferred(by: call))
            response.status = HTTPResponse.Status(code: problem.status)
            return response
        }
        try registry.on(.pickPage, refused: refused) { [page] call, _ in
            page.document("pick.html", ContentCoding.preferred(by: call))
        }
    }
}
