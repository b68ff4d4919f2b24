import Testing

@testable import MediaWorker

struct SupervisionTests {
    @Test("The delay before the next start doubles from 0.1 s to 30 s, and one success ends it")
    func delays() {
        var supervision = WorkerSupervision()
        var delays: [Duration?] = []
        for _ in 0..<12 {
            supervision.workerDied(at: .seconds(5))
            delays.append(supervision.delay(at: .seconds(5)))
        }
        let seconds: [Duration?] = [nil, .milliseconds(100), .milliseconds(200), .milliseconds(400)]
        #expect(Array(delays.prefix(4)) == seconds)
        #expect(delays.last == .seconds(30))
        #expect(supervision.delay(at: .seconds(35)) == nil)
        supervision.workerSucceeded()
        supervision.workerDied(at: .seconds(6))
        #expect(supervision.delay(at: .seconds(6)) == nil)
    }
}
