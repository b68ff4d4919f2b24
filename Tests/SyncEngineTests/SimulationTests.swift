import SyncSimulation
import TestSupport
import Testing

struct SimulationTests {
    @Test("The same seed makes the same trace, another one another")
    func trace() {
        func trace(_ seed: UInt64) -> UInt64 {
            var world = Simulation(seed: seed)
            #expect(world.run(troubles: 200) == nil)
            return world.trace
        }
        #expect(trace(7) == trace(7))
        #expect(trace(7) != trace(8))
    }

    @Test(
        """
        Promises 1 to 5, 7, 8, 10 to 15: with bad networks, disks and clocks, restarts, restores and changes of mind, every \
        capture becomes exactly one asset, and edits of all sides make one state
        """
    )
    func convergence() {
        checkProperty("the promises of the sync hold", cases: 300, maximumSize: 300) { generator, size in
            let seed = generator.next()
            var world = Simulation(seed: seed)
            return world.run(troubles: size).map { "\($0) (seed \(seed), \(size) steps of trouble)" }
        }
    }
}
