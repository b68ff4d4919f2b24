import Glibc
import SyncSimulation

/// Many simulated worlds: `simulate --count 20000 --seed 1`; one of them again: `simulate --seed S --count 1`.
@main
enum Simulate {
    static func main() {
        let count = number("--count") ?? 20_000
        let first = number("--seed") ?? 1
        let clock = ContinuousClock()
        let start = clock.now
        var hash: UInt64 = 0
        var steps = 0
        var simulated = Duration.zero
        for seed in first..<(first + count) {
            var world = Simulation(seed: seed)
            if let problem = world.run(troubles: Int(seed % 300)) {
                print("seed \(seed): \(problem)")
                print("again: deploy/campaign simulation --seed \(seed) --count 1")
                exit(1)
            }
            hash = (hash ^ world.trace) &* 0x0000_0100_0000_01B3
            steps += world.steps
            simulated += world.deviceTime
        }
        let seconds = (clock.now - start) / .seconds(1)
        let hours = simulated / .seconds(3600)
        print("\(count) seeds from \(first), every promise held; trace \(String(hash, radix: 16))")
        print("\(rounded(seconds)) s: \(rounded(Double(count) / seconds)) seeds/s,", terminator: " ")
        print("\(rounded(Double(steps) / seconds)) steps/s, \(rounded(hours / seconds)) simulated device-hours/s")
    }

    private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func number(_ name: String) -> UInt64? {
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        return UInt64(arguments[index + 1])
    }
}
