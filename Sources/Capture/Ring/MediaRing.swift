import Synchronization

/// Timestamped media that a ring can keep.
package protocol TimedMedia: Sendable {
    /// When it, or its first part, was captured.
    var timestamp: MonotonicTime { get }
}

/// The last seconds of one device, for shots that look back in time.
///
/// The grabbing thread appends and never waits: readers get the same shared buffers through a ``MediaFeed``. The ring
/// keeps the configured duration, less if the memory budget is too small.
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

    /// An empty ring with this duration.
    package init(duration: Duration) {
        state = Mutex(State(duration: duration))
    }

    /// Changes the duration, from the next item on.
    package func setDuration(_ duration: Duration) {
        state.withLock { $0.duration = duration }
    }

    /// Keeps an item, passes it to active feeds, and drops items older than the ring's duration.
    ///
    /// Items arrive in order of time; one not later than the last is refused with false, because a clock stepping back
    /// would make an unplayable movie.
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

    /// Drops the oldest item to make room; false if there is none.
    package func evictOldest() -> Bool {
        state.withLock { state in
            guard !state.items.isEmpty else { return false }
            state.items.removeFirst()
            return true
        }
    }

    /// Everything from `start` to `limit`, starting with kept items and continuing as more arrive.
    ///
    /// An item that begins before `start` but may extend into it is included, with `overlap` as the items' extent.
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

    /// Ends the feeds that need nothing later than `time`, whether or not anything later ever arrives.
    package func endFeeds(dueBy time: MonotonicTime) {
        state.withLock { state in
            for (id, feed) in state.feeds where feed.limit < time {
                feed.finish(.complete)
                state.feeds[id] = nil
            }
        }
    }

    /// Ends every feed at this point and empties the ring; it continues with the next item.
    package func restart(_ end: FeedEnd) {
        state.withLock { state in
            for feed in state.feeds.values { feed.finish(end) }
            (state.feeds, state.items) = ([:], [])
        }
    }

    /// Ends every feed and empties the ring permanently.
    package func close(_ end: FeedEnd) {
        state.withLock { state in
            for feed in state.feeds.values { feed.finish(end) }
            state = State(duration: state.duration, end: end)
        }
    }

    /// The newest item; nil if empty.
    package var newest: Item? { state.withLock { $0.items.last } }

    /// The number of kept items.
    package var count: Int { state.withLock { $0.items.count } }
}

/// The compressed frames of one camera.
package typealias FrameRing = MediaRing<Frame>
/// The sound of one microphone.
package typealias AudioRing = MediaRing<AudioChunk>
