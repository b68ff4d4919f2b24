import TestSupport
import Testing

struct SimulationTests {
    @Test("Over a bad network, with restarts and changes of mind, every capture becomes exactly one asset")
    func convergence() {
        checkProperty("every capture becomes one asset", cases: 2000, maximumSize: 300) { generator, size in
            var box = SimulatedBox(seed: generator.next())
            return box.run(troubles: size)
        }
    }
}
