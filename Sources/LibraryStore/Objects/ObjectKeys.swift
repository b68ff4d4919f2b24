import LibraryAPI
import Persistence

/// The names of a library's objects, below its bucket's prefix.
///
/// - `originals/ab/cd/<sha-256>.<copy>.<extension>`: a content. The copy is the upload or batch that brought it, so
///   that no key is ever reused and a late deletion cannot hit anything new;
/// - `uploads/<upload>/parts`: a note of a multipart upload, see `StoredUpload`; if several servers may receive an
///   upload, `parts-<turn>`, so that none overwrites another's;
/// - `uploads/<upload>/<offset>`: the bytes after the last whole part, up to an offset that may have been confirmed;
/// - `quarantine/<name of the content>`: marks a content as quarantined; its bytes stay where they are;
/// - `tintype-library`: the library that owns the bucket;
/// - `tintype-arriving`: a library that is being moved or restored to here, see `LibraryArrival`;
/// - `tintype-server`: the run of the server that has the bucket.
enum ObjectKeys {
    static let marker = "tintype-library"
    static let server = "tintype-server"
    static let arriving = "tintype-arriving"
    static let originals = "originals/"
    static let uploads = "uploads/"
    static let quarantine = "quarantine/"

    /// The marker's content.
    static func markerLine(_ library: LibraryID) -> [UInt8] { Array("tintype-library 1 \(library)\n".utf8) }

    static func content(_ address: ContentAddress) -> String {
        "\(originals)\(address.directoryNames.0)/\(address.directoryNames.1)/\(address.fileName)"
    }

    /// The address in a key; nil for a foreign object.
    static func address(_ key: String) -> ContentAddress? {
        guard let slash = key.lastIndex(of: "/"),
            let address = ContentAddress(fileName: String(key[key.index(after: slash)...])),
            address.copy != nil, content(address) == key
        else { return nil }
        return address
    }

    static func parts(of upload: String, turn: Int64) -> String {
        "\(uploads)\(upload)/parts\(turn == 0 ? "" : "-\(turn)")"
    }

    /// The turn of an upload's note; nil for other keys.
    static func turn(ofParts key: String, of upload: String) -> Int64? {
        let note = parts(of: upload, turn: 0)
        guard key.hasPrefix(note) else { return nil }
        let rest = key.dropFirst(note.count)
        guard !rest.isEmpty else { return 0 }
        guard rest.first == "-", let turn = Int64(rest.dropFirst()), turn > 0 else { return nil }
        return turn
    }

    static func rest(of upload: String, upTo offset: Int64) -> String { "\(uploads)\(upload)/\(offset)" }

    static func quarantined(_ name: String) -> String { "\(quarantine)\(name)" }
}
