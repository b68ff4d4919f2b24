import Glibc
import SyncSimulation

/// Many simulated worlds, or one of them again.
///
/// `simulate --count 20000 --seed 1`; `simulate --seed S --count 1`. With `--bug NAME` each world has that bug, and the run
/// tells the first seed that shows it; with `--all` a run goes on after a failure. `--bugs` plants every bug, one after the
/// other, and fails where the promise that it breaks does not tell.
@main
enum Simulate {
    static func main() {
        let count = number("--count") ?? 20_000
        let first = number("--seed") ?? 1
        let arguments = CommandLine.arguments
        let isGood =
            arguments.contains("--bugs")
            ? everyBugIsFound(first..<(first + count))
            : everyPromiseHolds(first..<(first + count), bug: bug(), goesOn: arguments.contains("--all"))
        exit(isGood ? 0 : 1)
    }

    /// The world of a seed, with as much trouble as the seed says, so that a seed alone replays it.
    private static func outcome(of seed: UInt64, _ bug: PlantedBug?) -> (world: Simulation, problem: String?) {
        var world = Simulation(seed: seed, planting: bug)
        let problem = world.run(troubles: Int(seed % 300))
        return (world, problem)
    }

    private static func everyPromiseHolds(_ seeds: Range<UInt64>, bug: PlantedBug?, goesOn: Bool) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var total = Total()
        var kinds: Set<String> = []
        for seed in seeds {
            let (world, problem) = outcome(of: seed, bug)
            total.add(world)
            // One of each kind; which box it was makes no other kind.
            guard let problem, kinds.insert(String(problem.prefix(50))).inserted else { continue }
            print("seed \(seed): \(problem)")
            print("again: \(command(seed, bug))")
            if !goesOn { return false }
        }
        let seconds = (clock.now - start) / .seconds(1)
        guard kinds.isEmpty else { return false }
        print(
            "\(seeds.count) seeds from \(seeds.lowerBound), every promise held; trace \(String(total.hash, radix: 16))"
        )
        print("\(rounded(seconds)) s: \(rounded(Double(seeds.count) / seconds)) seeds/s,", terminator: " ")
        print("\(rounded(Double(total.steps) / seconds)) steps/s,", terminator: " ")
        print("\(rounded(total.simulated / .seconds(3600) / seconds)) simulated device-hours/s")
        print("\(total.faults.total) faults: \(total.faults.words)")
        return true
    }

    private static func everyBugIsFound(_ seeds: Range<UInt64>) -> Bool {
        var isGood = true
        for bug in PlantedBug.allCases {
            let found = seeds.lazy.map { ($0, outcome(of: $0, bug).problem) }
                .first { $0.1?.hasPrefix("promise \(bug.promise):") ?? false }
            if let (seed, problem) = found {
                print("\(bug), found by \(problem ?? ""): \(command(seed, bug))")
            } else {
                print("\(bug) was not found by promise \(bug.promise) in \(seeds.count) seeds from \(seeds.lowerBound)")
                isGood = false
            }
        }
        return isGood
    }

    private static func command(_ seed: UInt64, _ bug: PlantedBug?) -> String {
        "deploy/campaign simulation --seed \(seed) --count 1" + (bug.map { " --bug \($0)" } ?? "")
    }

    private struct Total {
        var hash: UInt64 = 0
        var steps = 0
        var simulated = Duration.zero
        var faults = FaultCounts()

        mutating func add(_ world: Simulation) {
            hash = (hash ^ world.trace) &* 0x0000_0100_0000_01B3
            steps += world.steps
            simulated += world.deviceTime
            faults.add(world.faults)
        }
    }

    private static func bug() -> PlantedBug? {
        text("--bug").map { name in
            guard let bug = PlantedBug(rawValue: name) else {
                print("the bugs are: \(PlantedBug.allCases.map(\.rawValue).joined(separator: ", "))")
                exit(64)
            }
            return bug
        }
    }

    private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func number(_ name: String) -> UInt64? { text(name).flatMap(UInt64.init) }

    private static func text(_ name: String) -> String? {
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        return arguments[index + 1]
    }
}
