import Capture
import PhotoModel
import Testing

@testable import AgentCapture

struct FiringQueueTests {
    @Test("T107: a trigger that fires far more often than shots can be taken is refused, and fills no memory")
    func flood() async throws {
        let queue = FiringQueue()
        let profile = CaptureProfile(name: "gate")
        let event = TriggerEvent(.command, at: MonotonicTime(nanoseconds: 1))
        let refusals = (0..<1000).compactMap { _ in queue.offer(event, of: profile) }
        #expect(refusals.count == 1000 - FiringQueue.maximumCount)
        #expect(refusals.allSatisfy { $0.code == .tooManyCaptures })
        var accepted = queue.firings.makeAsyncIterator()
        let first = await accepted.next()
        #expect(first?.event == event && first?.profile == profile)
        let tooMany = queue.offer(event, of: profile)
        #expect(tooMany?.code == .tooManyCaptures, "the first one's shot is under way")
        queue.complete()
        let next = queue.offer(event, of: profile)
        #expect(next?.code == nil)
        queue.finish()
        var count = 1
        while await accepted.next() != nil { count += 1 }
        #expect(count == FiringQueue.maximumCount + 1)
    }
}
