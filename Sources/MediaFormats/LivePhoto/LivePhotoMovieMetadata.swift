package import PhotoModel

/// The contents of a Live Photo movie's metadata list.
package struct LivePhotoMovieMetadata: Hashable, Sendable {
    /// The identifier that joins the movie with its still; the still's maker note holds the same.
    package var contentIdentifier: ContentIdentifier
    /// The shutter time, with the offset to UTC if known; written to the second.
    package var creationDate: CivilTime?
    /// The camera's maker.
    package var make: String?
    /// The camera's model.
    package var model: String?
    /// The program that wrote the file.
    package var software: String?
    /// Where it was taken.
    package var location: Location?
    /// Whether the system, rather than a person, chose to make a Live Photo; nil omits it.
    package var isAutomatic: Bool?

    /// Describes a movie by its identifier; the caller sets what else is known.
    package init(contentIdentifier: ContentIdentifier) {
        self.contentIdentifier = contentIdentifier
    }
}

extension LivePhotoMovieMetadata {
    private static let textType: UInt32 = 1
    private static let signedIntegerType: UInt32 = 21

    /// One key and its stored value.
    private struct Entry {
        let key: String
        let type: UInt32
        let bytes: [UInt8]
    }

    private var entries: [Entry] {
        func text(_ key: String, _ value: String?) -> Entry? {
            value.map { Entry(key: key, type: Self.textType, bytes: Array($0.utf8)) }
        }
        return [
            text(MovieMetadata.Key.contentIdentifier, contentIdentifier.fileText),
            text(MovieMetadata.Key.creationDate, creationDate.map(Self.text)),
            text(MovieMetadata.Key.make, make),
            text(MovieMetadata.Key.model, model),
            text(MovieMetadata.Key.software, software),
            text(MovieMetadata.Key.location, location.map(ISO6709.text)),
            isAutomatic.map {
                Entry(key: MovieMetadata.Key.isAutomaticLivePhoto, type: Self.signedIntegerType, bytes: [$0 ? 1 : 0])
            },
        ].compactMap(\.self)
    }

    /// `2026-01-02T03:04:05+0100`: without a fraction, and without a colon in the offset, as iPhones write it.
    private static func text(_ date: CivilTime) -> String {
        let wholeSeconds = date.description.prefix(19)
        let offset = date.utcOffsetSeconds.map { CivilTime.offsetText(seconds: $0) } ?? ""
        return wholeSeconds + offset.filter { $0 != ":" }
    }

    /// Appends the plain `meta` box that goes into `moov`.
    func append(to writer: inout ByteWriter) {
        writer.appendBox("meta") { writer in
            writer.appendFullBox("hdlr") { writer in
                writer.append(words: 0, FourCharacterCode("mdta").rawValue, 0, 0, 0)
                writer.append(UInt16(0))
            }
            writer.appendFullBox("keys") { writer in
                writer.append(UInt32(entries.count))
                for entry in entries {
                    writer.appendBox("mdta") { $0.append(entry.key) }
                }
            }
            writer.appendBox("ilst") { writer in
                for (index, entry) in entries.enumerated() {
                    writer.appendBox(FourCharacterCode(rawValue: UInt32(index + 1))) { writer in
                        writer.appendBox("data") { writer in
                            writer.append(words: entry.type, 0)
                            writer.append(entry.bytes)
                        }
                    }
                }
            }
        }
    }
}
