/// Why a feed ended.
package enum FeedEnd: String, Hashable, Sendable, CaseIterable {
    /// Everything up to its limit had been delivered.
    case complete
    /// The session stopped, or changed its pipeline.
    case stopped
    /// Permission for the device was withdrawn.
    case consentWithdrawn
    /// The device was lost, or failed.
    case deviceLost
}

/// One shot's share of a ring: items in order of time, then the reason for the end.
///
/// The feed queues items without a limit of its own; the device's memory budget limits all feeds together.
package final class MediaFeed<Item: TimedMedia>: Sendable {
    /// The items; one reader.
    package let items: AsyncStream<Item>
    /// The time after which nothing is needed.
    package let limit: MonotonicTime
    private let sink: AsyncStream<Item>.Continuation
    private let ends: AsyncStream<FeedEnd>
    private let endSink: AsyncStream<FeedEnd>.Continuation

    /// A feed of items up to a time.
    package init(limit: MonotonicTime) {
        self.limit = limit
        (items, sink) = AsyncStream.makeStream()
        (ends, endSink) = AsyncStream.makeStream()
    }

    /// Accepts an item, or ends if it is past the limit; returns whether the feed has ended.
    func offer(_ item: Item) -> Bool {
        guard item.timestamp <= limit else {
            finish(.complete)
            return true
        }
        sink.yield(item)
        return false
    }

    /// Ends the feed; only the first reason counts.
    package func finish(_ end: FeedEnd) {
        endSink.yield(end)
        endSink.finish()
        sink.finish()
    }

    /// Waits until nothing more will come, which may be long before everything has been read; one waiter.
    package func end() async -> FeedEnd {
        for await end in ends { return end }
        return .stopped
    }
}
