package import PhotoModel

/// One line of a change feed response (`application/jsonl`): an entity, or the final token.
///
/// A page is one line per change and a closing line with the token; a page without its closing line was cut off and
/// must be ignored. Apply all lines of a page and its token in one transaction.
package enum ChangeLine: Hashable, Sendable, Codable {
    /// An entity that was inserted, updated, or removed from the view.
    case change(EntityChange)
    /// The end of the page.
    case end(PageEnd)

    /// The media type of a page.
    package static let contentType = "application/jsonl"

    /// The closing line of a page.
    package struct PageEnd: Hashable, Sendable, Codable {
        /// Where to continue.
        package var token: ChangeToken
        /// Whether more is available already.
        package var hasMore: Bool

        package init(token: ChangeToken, hasMore: Bool) {
            self.token = token
            self.hasMore = hasMore
        }
    }

    private enum CodingKeys: CodingKey {
        case token
    }

    /// Decodes a line of either kind; the closing one has a `token`.
    package init(from decoder: any Decoder) throws {
        if try decoder.container(keyedBy: CodingKeys.self).contains(.token) {
            self = .end(try PageEnd(from: decoder))
        } else {
            self = .change(try EntityChange(from: decoder))
        }
    }

    /// Encodes the line.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .change(let change): try change.encode(to: encoder)
        case .end(let end): try end.encode(to: encoder)
        }
    }
}

/// A complete page of the change feed.
package struct ChangeFeedPage: Hashable, Sendable {
    /// The changes, in feed order.
    package var changes: [EntityChange]
    /// Where to continue, and whether more is available already.
    package var end: ChangeLine.PageEnd

    package init(changes: [EntityChange], end: ChangeLine.PageEnd) {
        self.changes = changes
        self.end = end
    }
}

/// How far a replica has read the feed.
package struct ChangeFeedPosition: Hashable, Sendable {
    /// Where to continue; nil for the beginning.
    package let token: ChangeToken?
    /// The replica's enumeration that it belongs to; pages of earlier enumerations do not apply.
    package let enumeration: Int64

    package init(token: ChangeToken?, enumeration: Int64) {
        self.token = token
        self.enumeration = enumeration
    }
}

/// A change of one entity in the view.
package struct EntityChange: Hashable, Sendable, Codable {
    /// The kind of change, as the viewer sees it.
    package enum Kind: String, Hashable, Sendable, Codable {
        /// It entered the view.
        case inserted
        /// It changed within the view.
        case updated
        /// It left the view, for whatever reason.
        case removed
    }

    /// What happened.
    package var kind: Kind
    /// The entity.
    package var entity: EntityReference
    /// The current asset; nil for other entities and removals.
    package var asset: Asset?
    /// The current album; nil for other entities and removals.
    package var album: Album?
    /// The entity's replicated state, in the replication module's encoding; nil for removals.
    package var state: Base64Bytes?

    package init(
        _ kind: Kind,
        _ entity: EntityReference,
        asset: Asset? = nil,
        album: Album? = nil,
        state: Base64Bytes? = nil
    ) {
        self.kind = kind
        self.entity = entity
        self.asset = asset
        self.album = album
        self.state = state
    }
}

extension EntityChange {
    /// Whether the asset or album that it describes is its entity; another one would be shown in its place.
    package var describesItsEntity: Bool {
        let described = [asset.map { EntityReference.asset($0.id) }, album.map { EntityReference.album($0.id) }]
        return described.allSatisfy { $0 == nil || $0 == entity }
    }
}

/// A replica's own changes, in counter order.
package struct ChangePush: Hashable, Sendable, Codable {
    /// One change.
    package struct Change: Hashable, Sendable, Codable {
        /// Its gapless number within the incarnation.
        package var counter: UInt64
        /// The delta in the replication module's encoding; it names its entity.
        package var delta: Base64Bytes

        package init(counter: UInt64, delta: Base64Bytes) {
            self.counter = counter
            self.delta = delta
        }
    }

    /// The replica's incarnation: 32 hexadecimal digits.
    package var incarnation: String
    /// The hash of the replica's history before the first of these changes; nil if the sender does not track it.
    package var priorHash: ContentDigest?
    /// The changes, in counter order.
    package var changes: [Change]

    package init(incarnation: String, priorHash: ContentDigest? = nil, changes: [Change]) {
        self.incarnation = incarnation
        self.priorHash = priorHash
        self.changes = changes
    }
}

/// The result of a push.
package struct ChangePushResponse: Hashable, Sendable, Codable {
    /// A refused change; later ones are judged regardless.
    package struct Refusal: Hashable, Sendable, Codable {
        /// The change's counter.
        package var counter: UInt64
        /// Why, and what to do.
        package var problem: ProblemDetails

        package init(counter: UInt64, problem: ProblemDetails) {
            self.counter = counter
            self.problem = problem
        }
    }

    /// Every change up to this counter was accepted or refused.
    package var acknowledged: UInt64
    /// The refused ones; they go to the device's dead letters.
    package var refused: [Refusal]
    /// At least the last change number assigned to them; nil if none was new, and the device does not see everything.
    package var changeNumber: ChangeNumber?

    package init(acknowledged: UInt64, refused: [Refusal] = [], changeNumber: ChangeNumber? = nil) {
        self.acknowledged = acknowledged
        self.refused = refused
        self.changeNumber = changeNumber
    }
}
