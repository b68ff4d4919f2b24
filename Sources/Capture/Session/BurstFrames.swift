/// Consecutive frames of a camera; one reader.
package struct BurstFrames: AsyncSequence, Sendable {
    let feed: MediaFeed<Frame>
    let count: Int
    let stride: Int

    /// Starts reading.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(frames: feed.items.makeAsyncIterator(), burst: self)
    }

    /// Reads until there are enough, or no more come.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var frames: AsyncStream<Frame>.AsyncIterator
        fileprivate let burst: BurstFrames
        fileprivate var given = 0

        /// The next frame; nil after the last one.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> Frame? {
            let isEnough = given == burst.count
            // Skips the frames between two of a burst.
            for _ in 0..<(given == 0 || isEnough ? 0 : burst.stride - 1) {
                guard await frames.next(isolation: actor) != nil else { return nil }
            }
            guard !isEnough, let frame = await frames.next(isolation: actor) else {
                burst.feed.finish(.complete)
                return nil
            }
            given += 1
            return frame
        }
    }
}
