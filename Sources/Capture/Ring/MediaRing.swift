import Synchronization

/// Something with a time that a ring can keep.
package protocol TimedMedia: Sendable {
    /// When it was captured, or its first part.
    var timestamp: MonotonicTime { get }
}

/// The last seconds of one device, ready for a shot that looks back in time.
///
/// The grabbing thread appends and never waits for anybody: readers get the same shared buffers through a ``MediaFeed``.
/// Kept are the items of the last seconds as set, less when the memory budget is too small for them.
package final class MediaRing<Item: TimedMedia>: Sendable {
    private struct State {
        var items: [Item] = []
        var feeds: [Int: MediaFeed<Item>] = [:]
        var lastFeedID = 0
        var duration: Duration
        /// Set once, when nothing more will come.
        var end: FeedEnd?
    }

    private let state: Mutex<State>

    /// An empty ring that reaches back so far.
    package init(duration: Duration) {
        state = Mutex(State(duration: duration))
    }

    /// Changes how far back the ring reaches, from the next item on.
    package func setDuration(_ duration: Duration) {
        state.withLock { $0.duration = duration }
    }

    /// Keeps an item, hands it to whoever records, and lets go what is older than the ring reaches.
    ///
    /// Items come in the order of time; one that is not later than the last is refused, since a clock that steps back
    /// would make a movie whose frames cannot be shown.
    ///
    /// - Returns: whether the item was kept.
    package func append(_ item: Item) -> Bool {
        state.withLock { state in
            guard state.end == nil, state.items.last.map({ $0.timestamp < item.timestamp }) ?? true else {
                return false
            }
            state.items.append(item)
            let oldest = item.timestamp.advanced(by: .zero - state.duration)
            let expired = state.items.prefix { $0.timestamp < oldest }.count
            if expired > 0 { state.items.removeFirst(expired) }
            for (id, feed) in state.feeds where feed.offer(item) { state.feeds[id] = nil }
            return true
        }
    }

    /// Lets the oldest item go to make room; false when there is none.
    package func evictOldest() -> Bool {
        state.withLock { state in
            guard !state.items.isEmpty else { return false }
            state.items.removeFirst()
            return true
        }
    }

    /// Everything from `start` to `limit`, beginning with what is kept and going on as it arrives.
    ///
    /// An item that begins before `start` and may reach into it is included when `overlap` says how far items reach.
    package func feed(
        from start: MonotonicTime,
        through limit: MonotonicTime,
        overlap: Duration = .zero
    ) -> MediaFeed<Item> {
        state.withLock { state in
            let feed = MediaFeed<Item>(limit: limit)
            let first = start.advanced(by: .zero - overlap)
            for item in state.items where item.timestamp >= first {
                if feed.offer(item) { return feed }
            }
            if let end = state.end {
                feed.finish(end)
            } else {
                state.lastFeedID += 1
                state.feeds[state.lastFeedID] = feed
            }
            return feed
        }
    }

    /// Ends the feeds that wait for nothing later than `time`, whether or not anything later ever comes.
    package func endFeeds(dueBy time: MonotonicTime) {
        state.withLock { state in
            for (id, feed) in state.feeds where feed.limit < time {
                feed.finish(.complete)
                state.feeds[id] = nil
            }
        }
    }

    /// Ends every feed where it is; new ones are possible.
    package func endFeeds(_ end: FeedEnd) {
        state.withLock { state in
            for feed in state.feeds.values { feed.finish(end) }
            state.feeds = [:]
        }
    }

    /// Ends every feed where it is and empties the ring; it goes on with what comes next.
    package func restart(_ end: FeedEnd) {
        endFeeds(end)
        state.withLock { $0.items = [] }
    }

    /// Ends every feed and empties the ring for good.
    package func close(_ end: FeedEnd) {
        state.withLock { state in
            for feed in state.feeds.values { feed.finish(end) }
            state = State(duration: state.duration, end: end)
        }
    }

    /// The newest item; nil when there is none.
    package var newest: Item? { state.withLock { $0.items.last } }

    /// How many items are kept.
    package var count: Int { state.withLock { $0.items.count } }
}

/// The compressed frames of one camera.
package typealias FrameRing = MediaRing<Frame>
/// The sound of one microphone.
package typealias AudioRing = MediaRing<AudioChunk>
