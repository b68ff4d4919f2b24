import SyncSimulation
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
        Promises 1 to 15: with bad networks, disks and clocks, restarts, copies, restores and changes of mind, every \
        capture becomes exactly one asset, and edits of all sides make one state
        """
    )
    func convergence() {
        for seed in UInt64(1)...60 {
            var world = Simulation(seed: seed)
            let problem = world.run(troubles: Int(seed * 5))
            #expect(problem == nil, "seed \(seed)")
        }
    }

    @Test("Every promise has a bug that breaks it")
    func everyPromise() {
        #expect(Set(PlantedBug.allCases.map(\.promise)) == Set(1...15))
    }
}
