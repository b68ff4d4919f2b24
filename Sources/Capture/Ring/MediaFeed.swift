/// Why a feed ended.
package enum FeedEnd: String, Hashable, Sendable, CaseIterable {
    /// Everything up to its limit was there.
    case complete
    /// The session stopped or changed its pipeline.
    case stopped
    /// The permission for the device was taken back.
    case consentWithdrawn
    /// The device went away or failed.
    case deviceLost
    /// Live Photos were suspended.
    case suspended
}

/// What one shot gets of a ring: items in the order of time, then the reason why there are no more.
///
/// The items wait in the feed without limit of their own; the memory budget of the device limits all feeds together.
package final class MediaFeed<Item: TimedMedia>: Sendable {
    /// The items; one reader.
    package let items: AsyncStream<Item>
    /// The time after which nothing is wanted.
    package let limit: MonotonicTime
    private let sink: AsyncStream<Item>.Continuation
    private let ends: AsyncStream<FeedEnd>
    private let endSink: AsyncStream<FeedEnd>.Continuation

    /// A feed that takes items up to a time.
    package init(limit: MonotonicTime) {
        self.limit = limit
        (items, sink) = AsyncStream.makeStream()
        (ends, endSink) = AsyncStream.makeStream()
    }

    /// Takes an item, or ends when it is later than wanted.
    ///
    /// - Returns: whether the feed has ended.
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
