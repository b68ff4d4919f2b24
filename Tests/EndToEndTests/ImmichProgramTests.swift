import Foundation
import Testing

/// An Immich server over HTTP and the built programs; Python stands in for Immich.
@Suite(.serialized)
struct ImmichProgramTests {
    private static let key = "a-key-of-immich"

    /// The part of Immich's API that an import reads, two assets on a page; prints its port, and what is fetched.
    ///
    /// A Live Photo (`a` with the movie `m`) is in two albums, a photo (`b`) in one of them, and one in the trash (`t`).
    private static let standIn = #"""
        import base64, hashlib, http.server, json, sys
        photo = bytes([0xFF, 0xD8, 0xFF, 0xE0]) + bytes([1]) * 60 + bytes([0xFF, 0xD9])
        movie = b"\0\0\0\x14ftypisom\0\0\0\0isom"
        files = {"a": photo, "m": movie, "b": photo + b"\2", "t": photo + b"\3"}
        fields = {
            "a": {"type": "IMAGE", "originalFileName": "IMG_1.jpg", "isFavorite": True, "isTrashed": False,
                  "visibility": "archive", "livePhotoVideoId": "m",
                  "exifInfo": {"description": "By the lake", "latitude": 48.5, "longitude": 9.25, "rating": 4,
                               "dateTimeOriginal": "2023-07-31T09:00:00+00:00"},
                  "people": [{"name": "Ada", "isHidden": False}, {"name": ""}], "tags": [{"value": "Travel/Lakes"}]},
            "m": {"type": "VIDEO", "originalFileName": "IMG_1.mp4", "visibility": "hidden"},
            "b": {"type": "IMAGE", "originalFileName": "IMG_2.jpg", "exifInfo": None},
            "t": {"type": "IMAGE", "originalFileName": "IMG_3.jpg", "isTrashed": True},
        }
        albums = {"1": ("Lake", ["a", "b"]), "2": ("Best", ["a"])}

        def asset(name):
            checksum = base64.b64encode(hashlib.sha1(files[name]).digest()).decode()
            return {"id": name, "checksum": checksum} | fields[name]

        def album(name):
            return {"id": name, "albumName": albums[name][0], "description": ""}

        class Immich(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words): pass

            def answer(self, status, body, kind="application/json"):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def tell(self, value): self.answer(200, json.dumps(value).encode())

            def do_GET(self):
                if self.headers["x-api-key"] != sys.argv[1]: return self.answer(401, b"{}")
                match self.path.split("?")[0].split("/"):
                    case ["", "api", "albums"]: self.tell([album(name) for name in albums])
                    case ["", "api", "albums", name] if name in albums:
                        self.tell(album(name) | {"assets": [asset(member) for member in albums[name][1]]})
                    case ["", "api", "assets", name] if name in files: self.tell(asset(name))
                    case ["", "api", "assets", name, "original"] if name in files:
                        print(name, flush=True)
                        self.answer(200, files[name], "application/octet-stream")
                    case _: self.answer(404, b"{}")

            def do_POST(self):
                search = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.headers["x-api-key"] != sys.argv[1]: return self.answer(401, b"{}")
                if self.path != "/api/search/metadata": return self.answer(404, b"{}")
                start = (search["page"] - 1) * 2
                items = [asset(name) for name in list(files)[start:start + 2]]
                following = str(search["page"] + 1) if start + 2 < len(files) else None
                self.tell({"albums": {}, "assets": {"items": items, "nextPage": following}})

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Immich)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#

    @Test("Words, albums and Live Photos come into a library once, over HTTP; a wrong key is told with what to do")
    func library() throws {
        let programs = try Programs()
        try programs.start()
        let immich = try PythonStandIn(Self.standIn, [Self.key])
        let port = try immich.line()
        let socket = programs.library.appending(path: "admin.sock").path
        func take(key: String) throws -> Programs.Result {
            let file = try programs.file("immich.key", key + "\n")
            let words = ["import", "http://127.0.0.1:\(port)", "--key-file", file, "--json"]
            let environment = ["XDG_STATE_HOME": programs.root.appending(path: "state").path]
            return try programs.control(words + ["--socket", socket], environment: environment)
        }
        let wrong = try take(key: "another")
        #expect(wrong.status == 77 && wrong.errors.contains("asset.download"), "\(wrong)")
        let first = try take(key: Self.key)
        #expect(first.status == 0, "\(first)")
        #expect(try first.json()["added"] as? Int == 2 && first.json()["known"] as? Int == 0, "\(first)")
        #expect(first.output.contains("it lies in the trash of Immich, and is not taken"), "\(first)")
        let again = try take(key: Self.key)
        #expect(again.status == 0, "\(again)")
        #expect(try again.json()["added"] as? Int == 0 && again.json()["known"] as? Int == 2, "\(again)")

        let assets = try programs.call("GET", "/v1/assets?limit=10")["assets"] as? [[String: Any]] ?? []
        #expect(assets.count == 2, "\(assets)")
        let pair = try #require(assets.first { ($0["resources"] as? [Any])?.count == 2 }, "\(assets)")
        #expect(pair["caption"] as? String == "By the lake" && pair["rating"] as? Int == 4)
        #expect(pair["captureDateOverride"] as? String == "2023-07-31T09:00:00Z")
        #expect(Set(pair["keywords"] as? [String] ?? []) == ["Ada", "Lakes"])
        for (album, count) in [("Lake", 2), ("Best", 1)] {
            let members = try programs.operate("asset", "list", "--album", album, "--quiet").output
            #expect(members.split(separator: "\n").count == count, "\(album): \(members)")
        }
        #expect(immich.stop() == "a\nm\nb\n", "each file is fetched once")
    }

    @Test("A box takes the same in once, over HTTP, with the first album of each photo")
    func box() throws {
        let box = try Box()
        let immich = try PythonStandIn(Self.standIn, [Self.key])
        let key = box.root.appending(path: "immich.key")
        try Self.key.write(to: key, atomically: true, encoding: .utf8)
        let port = try immich.line()
        let command = ["import", "http://127.0.0.1:\(port)", "--key-file", key.path, "--json"]
        let first = try box.agent(command)
        #expect(first.status == 0, "\(first)")
        #expect(try first.json()["added"] as? Int == 2 && first.json()["livePhotos"] as? Int == 1, "\(first)")
        let again = try box.agent(command)
        #expect(again.status == 0, "\(again)")
        #expect(try again.json()["added"] as? Int == 0 && again.json()["known"] as? Int == 2, "\(again)")
        let manifests = try box.entries().compactMap { $0["manifest"] as? [String: Any] }
        #expect(manifests.count == 2)
        let albums = manifests.compactMap { ($0["desiredAlbum"] as? [String: Any])?["title"] as? String }
        #expect(albums.sorted() == ["Best", "Lake"])
        #expect(manifests.contains { $0["caption"] as? String == "By the lake" })
        #expect(immich.stop() == "a\nm\nb\n", "each file is fetched once")
    }
}
