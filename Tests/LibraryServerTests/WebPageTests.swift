import Foundation
import TestSupport
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// The web page as it is served: whole, from the program itself, and with nothing that could be used against it.
struct WebPageTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/LibraryServer/Resources/web")

    private static func text(_ file: WebFile) -> String { String(decoding: file.bytes, as: UTF8.self) }

    @Test("every file of the folder is in the program, byte for byte")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(WebFile.all.map(\.name).sorted() == names)
        for file in WebFile.all {
            #expect(try Data(contentsOf: Self.folder.appending(path: file.name)) == Data(file.bytes), "\(file.name)")
        }
    }

    @Test("modules name only files that are there, and a file of another version is not served")
    func references() throws {
        let names = Set(WebFile.all.map(\.name))
        for file in WebFile.all {
            for match in Self.text(file).matches(of: #/(?:from|import\() ?'\./([^']+)'/#) {
                #expect(names.contains(String(match.1)), "\(file.name) needs \(match.1)")
            }
            for match in Self.text(file).matches(of: #/\/static\/\{version\}\/([a-z.-]+)/#) {
                #expect(names.contains(String(match.1)), "\(file.name) needs \(match.1)")
            }
        }
        let page = WebPage()
        for (name, version) in [("app.js", "0123456789abcdef"), ("index.html", page.version)] {
            #expect(throws: ProblemDetails.self) { try page.file(name, version: version, nil) }
        }
    }

    @Test("the page asks for every module of its first view at once: none waits until another names it")
    func preloaded() throws {
        let texts = Dictionary(uniqueKeysWithValues: WebFile.all.map { ($0.name, Self.text($0)) })
        var needed: [String] = []
        var named = ["app.js"]
        while let name = named.popLast() {
            guard !needed.contains(name) else { continue }
            needed.append(name)
            let text = try #require(texts[name])
            named += text.matches(of: #/\bfrom '\./([^']+)';/#).map { String($0.1) }
        }
        let page = try #require(texts["index.html"])
        let preloaded = page.matches(of: #/rel="modulepreload" href="\/static\/\{version\}\/([^"]+)"/#).map {
            String($0.1)
        }
        #expect(preloaded.sorted() == needed.filter { $0 != "app.js" }.sorted())
    }

    @Test(
        "no text can become markup or a script, and nothing is fetched from elsewhere",
        arguments: WebFile.all.map(\.name)
    )
    func inert(_ name: String) throws {
        let file = try #require(WebFile.all.first { $0.name == name })
        let text = Self.text(file)
        for way in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc",
        ] {
            #expect(!text.contains(way), "\(way)")
        }
        for match in text.matches(of: #/https?:\/\/[^\s'"`)]+/#) {
            #expect(["http://www.w3.org/2000/svg", "https://evanw.github.io/thumbhash/"].contains(String(match.0)))
        }
        if name.hasSuffix(".html") {
            #expect(text.matches(of: #/<script(?![^>]* src=)|<style| style=| on[a-z]+=/#).isEmpty)
        }
    }

    @Test(
        "documents are asked for anew, files are kept for ever, and whatever a browser shows as a page carries the policy"
    )
    func served() async throws {
        try await RunningServer.run { server in
            let page = try await server.withClient { try await $0.send("GET", "/") }
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["cache-control"] == "no-cache")
            #expect(page.headers["content-security-policy"] == WebPage.securityPolicy())
            #expect(page.headers["x-frame-options"] == "DENY")
            #expect(!page.text.contains("{version}"))
            #expect(page.headers["vary"] == "Accept-Encoding" && page.headers["content-encoding"] == nil)
            let short = try await server.withClient {
                try await $0.send("GET", "/", headers: [("Accept-Encoding", "gzip")])
            }
            #expect(short.headers["content-encoding"] == "gzip" && short.body.count < page.body.count / 2)
            let path = "/static/\(WebPage().version)/app.js"
            #expect(page.text.contains(path))
            let script = try await server.withClient { try await $0.send("GET", path) }
            #expect(script.status == 200)
            #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
            #expect(script.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(script.headers["x-content-type-options"] == "nosniff")
            #expect(script.headers["cross-origin-resource-policy"] == "same-origin")
            let icon = try await server.withClient { try await $0.send("GET", "/static/\(WebPage().version)/icon.svg") }
            #expect(icon.headers["content-security-policy"] == WebPage.securityPolicy())
            let other = try await server.withClient { try await $0.send("GET", "/static/old/app.js") }
            #expect(other.status == 404)
        }
    }

    @Test("without a login the picker's page is refused, and says how to log in")
    func pickPage() async throws {
        try await RunningServer.run { server in
            let answer = try await server.withClient {
                try await $0.send("GET", "/pick/anything", headers: [("Accept", "text/html,*/*;q=0.8")])
            }
            #expect(answer.status == 401)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.headers["content-security-policy"] == WebPage.securityPolicy())
        }
    }

    @Test("after a reload the page learns who is logged in, and the token that changes need; nobody else does")
    func currentLogin() async throws {
        try await RunningServer.run { server in
            let made = try await server.withOperator { admin in
                try await admin.send("POST", "/v1/admin/web-logins", json: WebLinkRequest(name: "ana"))
            }
            let secret = try #require(try made.json(WebLinkResponse.self).uri.split(separator: "#").last)
            let path = "/v1/admin/web-logins/current"
            try await server.withClient { client in
                let request = WebLoginRequest(secret: String(secret))
                let login = try await client.send("POST", "/login", json: request)
                let cookie = String(try #require(login.headers["set-cookie"]).prefix { $0 != ";" })
                let current = try await client.send("GET", path, headers: [("Cookie", cookie)])
                #expect(try current.json(WebLoginResponse.self) == login.json(WebLoginResponse.self))
                #expect(try await client.send("GET", path).status == 401)
            }
            let local = try await server.withOperator { try await $0.send("GET", path).json(WebLoginResponse.self) }
            #expect(local.csrfToken.isEmpty, "what is no cookie needs no token")
        }
    }

    @Test("scripts and styles travel without lines that are comments, and without anything else missing")
    func comments() throws {
        let script = """
            // One.
            const text = 'http://a'; // Two stays.
                /** Three. */
                /** @type {number} */ let four = 4;
            /** Five,
             *  and more. */
            let five = text.replace('*/', '');
            """
        let served = WebFile("a.js", Array(script.utf8)).served
        #expect(
            Self.text(served) == """
                const text = 'http://a'; // Two stays.
                /** @type {number} */ let four = 4;
                let five = text.replace('*/', '');
                """
        )
        let style = WebFile("a.css", Array("/* One. */\n  a { color: red; } /* Two. */\n".utf8)).served
        #expect(Self.text(style) == "a { color: red; } /* Two. */")
        #expect(WebFile("a.html", Array(script.utf8)).served.bytes == Array(script.utf8))
        for file in WebFile.all where file.name.hasSuffix(".js") {
            // A text over several lines would lose what looks like a comment in it; outlines.js has no such line.
            for line in Self.text(file).split(separator: "\n") where file.name != "outlines.js" {
                let isWhole = line.count { $0 == "`" }.isMultiple(of: 2)
                #expect(isWhole || line.contains("{") || line.contains("}"), "\(file.name): \(line)")
            }
        }
        let outlines = try #require(WebFile.all.first { $0.name == "outlines.js" })
        #expect(Self.text(outlines.served).split(separator: "\n").count > 500)
    }

    @Test(
        "a file of the page comes compressed to whoever takes that, and as it is to everybody else",
        arguments: [
            ("gzip, deflate, br", "br"), ("GZIP;q=0.5, br;q=0", "gzip"), ("gzip, deflate", "gzip"), ("gzip;q=0", nil),
            ("identity", nil), ("", nil),
        ]
    )
    func compression(accepted: String, coding: String?) async throws {
        let page = WebPage()
        try await RunningServer.run { server in
            let answer = try await server.withClient { client in
                try await client.send(
                    "GET",
                    "/static/\(page.version)/page.css",
                    headers: accepted.isEmpty ? [] : [("Accept-Encoding", accepted)]
                )
            }
            #expect(answer.headers["vary"] == "Accept-Encoding")
            #expect(answer.headers["content-encoding"] == coding)
            let css = try #require(WebFile.all.first { $0.name == "page.css" }).served.bytes
            let isPlain = answer.body == css
            #expect(isPlain == (coding == nil))
            let isSame = try await answer.decoded() == css
            #expect(isSame)
        }
    }

    @Test("files are compressed at the best quality from the first request for one on; nobody waits for it")
    func bestQuality() async throws {
        let files = WebFiles(WebFile.all)
        let css = try #require(files["page.css"]).bytes
        let quick = ContentCoding.brotli.compress(css, .answer)
        #expect(files.compressed("page.css", .brotli) == quick)
        let best = try #require(ContentCoding.brotli.compress(css, .once))
        #expect(best.count < quick?.count ?? 0)
        while files.compressed("page.css", .brotli) != best { await Task.yield() }
    }

    @Test("the page weighs less than 41 KB on the wire before its pictures, without what comes when it is gone to")
    func weight() throws {
        let later: Set = [
            "acts.js", "admin.js", "album-gallery.js", "album-reorder.js", "album-timeline.js", "albums.js",
            "asset-details.js", "audit.js", "dialogs.js", "downloads.js", "edits.js", "moment.js", "search-words.js",
            "time-lapse.js", "admit.js", "kept-places.js",
            "qr.js", "archive.js", "bulk.js", "camera-facts.js", "day-count.js", "filmstrip.js", "filter-fields.js",
            "toolbar.js",
            "consents.js", "devices.js", "health.js", "map-view.js", "map.js", "offered-types.js",
            "open-photo.js", "outlines.js",
            "inbox.js", "keys.js", "login.html",
            "login.js", "picker-options.js",
            "pages.css", "pick.html", "picker.js", "select.js", "sessions.js", "strip.js", "viewer.css",
            "selecting.js", "utc-offset.js", "viewer.js", "zoom.js",
        ]
        let bytes = try WebFile.all.filter { !later.contains($0.name) }
            .reduce(0) { $0 + (try #require(ContentCoding.brotli.compress($1.served.bytes, .once))).count }
        #expect(bytes < 41_000, "\(bytes)")
    }
}
