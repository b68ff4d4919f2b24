import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import PhotoModel
import Replication
import Testing

@testable import LibraryStore

/// Pushes, edits and manifests share one set of text limits.
struct PushedTextTests {
    private static func over(_ limit: Int) -> String { String(repeating: "x", count: limit + 1) }

    private static let bad: [(entity: String, field: FieldID, text: String)] = [
        ("asset", AssetField.title, "a\0b"), ("asset", AssetField.title, over(APILimits.titleByteCount)),
        ("asset", AssetField.caption, "\0"), ("asset", AssetField.caption, over(APILimits.captionByteCount)),
        ("asset", AssetField.keyword, "a\u{7}b"), ("asset", AssetField.keyword, ""),
        ("album", AlbumField.title, ""), ("album", AlbumField.title, "a\0b"),
        ("album", AlbumField.title, over(Album.maximumTitleByteCount)),
        ("album", AlbumField.sort, over(APILimits.albumOrderByteCount)),
    ]

    private let caller = StoreCaller.device(StoreFixture.device)

    @Test("T60: a push refuses texts with NUL and texts over their limit, and takes the others")
    func limits() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let good: [(entity: String, field: FieldID, text: String)] = [
            ("asset", AssetField.title, String(repeating: "x", count: APILimits.titleByteCount)),
            ("asset", AssetField.title, ""), ("asset", AssetField.keyword, "gate"), ("album", AlbumField.title, "Gate"),
        ]
        let changes = (Self.bad + good).map { entity, field, text in
            let reference: EntityReference =
                entity == "asset" ? .asset(manifest.id) : .album(AlbumID(rawValue: 7))
            return Change(
                entity: reference.id,
                field: field,
                dot: replica.author.incarnation.nextDot(),
                after: 0,
                stamp: HybridTimestamp(milliseconds: time),
                value: .text(text),
                superseded: []
            )
        }
        let answer = try await store.metadata.push(replica.push(changes), by: caller)
        #expect(answer.refused.map(\.counter) == Array(1...UInt64(Self.bad.count)))
        #expect(answer.refused.allSatisfy { $0.problem.code == .changeInvalid })
        #expect(answer.acknowledged == UInt64(changes.count))
    }

    @Test("T60: edits and manifests have the same limits")
    func edits() throws {
        for text in ["a\0b", Self.over(APILimits.titleByteCount)] {
            var edit = AssetEdit()
            edit.title = text
            #expect(edit.problem != nil && AlbumEdit(title: text).problem != nil)
            var manifest = try StoreFixture().capture().manifest
            manifest.title = text
            #expect(manifest.problem?.field == "title")
        }
        let manifest = try StoreFixture().capture().manifest
        let long = Self.over(AdjustmentRequest.formatByteCount)
        for (identifier, version, field) in [(long, "1", "formatIdentifier"), ("org.example", "1\0", "formatVersion")] {
            var edited = manifest
            edited.adjustment = Adjustment(formatIdentifier: identifier, formatVersion: version)
            #expect(edited.problem?.field == "adjustment.\(field)")
        }
        for source in ["a\0", Self.over(APILimits.captureSourceByteCount)] {
            var late = manifest
            late.captureTime.source = CaptureTime.Source(rawValue: source)
            #expect(late.problem?.field == "captureTime.source")
        }
        #expect(AlbumEdit(title: "").problem != nil && AlbumEdit(title: "Gate").problem == nil)
    }
}
