import Glibc
package import Testing

/// Checks a law over generated cases, from small to large, and reports the smallest failing one with its seed.
///
/// Case `i` of a run is generated from `seed + i` with a size that grows from 1 to `maximumSize`, so that the first
/// failure is met on a small case. A failing case is then tried again at every smaller size, and the smallest size that
/// still fails is what gets reported: shrinking by regeneration.
///
/// - `TINTYPE_SEED` replays: one case with exactly this seed, at every size.
/// - `TINTYPE_CASES` is a factor on the number of cases, for long campaigns.
///
/// - Parameters:
///   - name: the law, in words.
///   - cases: how many cases to generate.
///   - maximumSize: the largest size handed to `law`.
///   - sourceLocation: where a failure is shown.
///   - law: throws, or returns a sentence saying what is wrong; nil means the law held.
package func checkProperty(
    _ name: String,
    cases: Int = 200,
    maximumSize: Int = 30,
    sourceLocation: SourceLocation = #_sourceLocation,
    law: (_ generator: inout SeededGenerator, _ size: Int) throws -> String?
) {
    func failure(seed: UInt64, size: Int) -> String? {
        var generator = SeededGenerator(seed: seed)
        do {
            return try law(&generator, size)
        } catch {
            return "threw \(error)"
        }
    }
    func report(seed: UInt64, size: Int, reason: String) {
        var smallest = (size: size, reason: reason)
        for candidate in 1..<max(size, 1) {
            if let found = failure(seed: seed, size: candidate) {
                smallest = (candidate, found)
                break
            }
        }
        Issue.record(
            "\(name): seed \(seed), size \(smallest.size): \(smallest.reason) (replay: TINTYPE_SEED=\(seed))",
            sourceLocation: sourceLocation
        )
    }
    if let replayed = environmentNumber("TINTYPE_SEED") {
        for size in 1...maximumSize {
            if let reason = failure(seed: replayed, size: size) {
                return report(seed: replayed, size: size, reason: reason)
            }
        }
        return
    }
    let base = UInt64.random(in: 0..<(1 << 48))
    let total = cases * Int(environmentNumber("TINTYPE_CASES") ?? 1)
    for index in 0..<total {
        let size = 1 + index * maximumSize / total
        let seed = base &+ UInt64(index)
        if let reason = failure(seed: seed, size: size) {
            return report(seed: seed, size: size, reason: reason)
        }
    }
}

/// An environment variable as a number.
package func environmentNumber(_ name: String) -> UInt64? {
    unsafe getenv(name).flatMap { unsafe UInt64(String(cString: $0)) }
}
