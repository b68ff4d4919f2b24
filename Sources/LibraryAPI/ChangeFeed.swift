package import PhotoModel

/// One line of an answer of the change feed (`application/jsonl`): an entity, or at last the token.
///
/// A page is lines with a change each and one closing line with the token; a page without its closing line was cut off
/// and counts for nothing. All lines of a page and its token are applied in one transaction.
package enum ChangeLine: Hashable, Sendable, Codable {
    /// An entity that was inserted, updated, or removed from the view.
    case change(EntityChange)
    /// The end of the page.
    case end(PageEnd)

    /// The media type of a page.
    package static let contentType = "application/jsonl"

    /// What closes a page.
    package struct PageEnd: Hashable, Sendable, Codable {
        /// Where to go on.
        package var token: ChangeToken
        /// Whether more is there already.
        package var hasMore: Bool

        package init(token: ChangeToken, hasMore: Bool) {
            self.token = token
            self.hasMore = hasMore
        }
    }

    private enum CodingKeys: CodingKey {
        case token
    }

    /// Reads the line of either kind; the closing one has a `token`.
    package init(from decoder: any Decoder) throws {
        if try decoder.container(keyedBy: CodingKeys.self).contains(.token) {
            self = .end(try PageEnd(from: decoder))
        } else {
            self = .change(try EntityChange(from: decoder))
        }
    }

    /// Writes the line.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .change(let change): try change.encode(to: encoder)
        case .end(let end): try end.encode(to: encoder)
        }
    }
}

/// One page of the change feed, whole.
package struct ChangeFeedPage: Hashable, Sendable {
    /// What happened, in the order of the feed.
    package var changes: [EntityChange]
    /// Where to go on, and whether more is there already.
    package var end: ChangeLine.PageEnd

    package init(changes: [EntityChange], end: ChangeLine.PageEnd) {
        self.changes = changes
        self.end = end
    }
}

/// How far a replica has read the feed.
package struct ChangeFeedPosition: Hashable, Sendable {
    /// Where to go on; nil for the beginning.
    package let token: ChangeToken?
    /// Which of the replica's enumerations it is of: a page of an earlier one says nothing of this one.
    package let enumeration: Int64

    package init(token: ChangeToken?, enumeration: Int64) {
        self.token = token
        self.enumeration = enumeration
    }
}

/// What happened to one entity of the view.
package struct EntityChange: Hashable, Sendable, Codable {
    /// What happened, as the viewer sees it.
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
    /// To what.
    package var entity: EntityReference
    /// The asset as it is now; nil for other entities and removals.
    package var asset: Asset?
    /// The album as it is now; nil for other entities and removals.
    package var album: Album?
    /// The entity's replicated state, as the replication module encodes it; nil for removals.
    package var state: Base64Bytes?

    /// Takes the change as it is.
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

/// A replica's own changes, in the order of their counters.
package struct ChangePush: Hashable, Sendable, Codable {
    /// One change.
    package struct Change: Hashable, Sendable, Codable {
        /// Its gapless number within the incarnation.
        package var counter: UInt64
        /// The delta as the replication module encodes it; it names its entity.
        package var delta: Base64Bytes

        package init(counter: UInt64, delta: Base64Bytes) {
            self.counter = counter
            self.delta = delta
        }
    }

    /// The replica's incarnation: 32 hexadecimal digits.
    package var incarnation: String
    /// The hash of the replica's history before the first of these changes; nil from who does not keep it.
    package var priorHash: ContentDigest?
    /// The changes, by counter.
    package var changes: [Change]

    package init(incarnation: String, priorHash: ContentDigest? = nil, changes: [Change]) {
        self.incarnation = incarnation
        self.priorHash = priorHash
        self.changes = changes
    }
}

/// What became of pushed changes.
package struct ChangePushResponse: Hashable, Sendable, Codable {
    /// A change that was not taken; what came behind it was judged all the same.
    package struct Refusal: Hashable, Sendable, Codable {
        /// The change.
        package var counter: UInt64
        /// Why, and what to do.
        package var problem: ProblemDetails

        package init(counter: UInt64, problem: ProblemDetails) {
            self.counter = counter
            self.problem = problem
        }
    }

    /// Every change up to this counter has been taken or refused.
    package var acknowledged: UInt64
    /// Those that were refused; they go to the device's dead letters.
    package var refused: [Refusal]
    /// The last change number that they were given; nil when none was new.
    package var changeNumber: ChangeNumber?

    package init(acknowledged: UInt64, refused: [Refusal] = [], changeNumber: ChangeNumber? = nil) {
        self.acknowledged = acknowledged
        self.refused = refused
        self.changeNumber = changeNumber
    }
}
