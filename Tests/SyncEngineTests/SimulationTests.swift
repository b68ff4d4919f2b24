import TestSupport
import Testing

struct SimulationTests {
    @Test("The same seed makes the same trace, another one another")
    func trace() {
        func trace(_ seed: UInt64) -> UInt64 {
            var box = SimulatedBox(seed: seed)
            #expect(box.run(troubles: 200) == nil)
            return box.trace
        }
        #expect(trace(7) == trace(7))
        #expect(trace(7) != trace(8))
    }

    @Test(
        """
        Over a bad network, with restarts and changes of mind, every capture becomes exactly one asset, and edits of both \
        sides make one state
        """
    )
    func convergence() {
        checkProperty("every capture becomes one asset", cases: 2000, maximumSize: 300) { generator, size in
            var box = SimulatedBox(seed: generator.next())
            return box.run(troubles: size)
        }
    }
}
