import Authorization
import BenchmarkSupport
import TestSupport

/// Prints what one decision costs, against the limit of 50 microseconds: a million decisions over every combination of
/// route, caller and object, in random order.
func authorizationBenchmark() throws {
    let limitNanoseconds = 50_000.0
    let decisions = 1_000_000
    let combinations = shuffledCombinations()
    let clock = ContinuousClock()
    var nanoseconds: [Double] = []
    nanoseconds.reserveCapacity(decisions)
    var allowed = 0
    for index in 0..<decisions {
        let call = combinations[index % combinations.count]
        let start = clock.now
        let verdict = decide(route: call.route, caller: call.caller, object: call.object)
        nanoseconds.append((clock.now - start).seconds * 1e9)
        if verdict.isAllowed { allowed += 1 }
    }
    nanoseconds.sort()
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
        let value = nanoseconds[min(decisions - 1, Int(Double(decisions) * share))]
        let perMille = Int(value / limitNanoseconds * 1000)
        print("decide \(name): \(Int(value)) ns, \(perMille)/1000 of the limit (clock and preemption included)")
    }
    let whole = measure {
        for index in 0..<decisions {
            let call = combinations[index % combinations.count]
            if decide(route: call.route, caller: call.caller, object: call.object).isAllowed { allowed += 1 }
        }
    }
    print("decide mean: \(Int(whole.cpu.seconds * 1e9) / decisions) ns of CPU time (clock excluded)")
    print("\(combinations.count) combinations, \(allowed / 2) of \(decisions) allowed")
}

private struct Call {
    let route: Route
    let caller: Caller
    let object: ObjectRelation
}

private func shuffledCombinations() -> [Call] {
    let states: [DeviceState] = [.pending, .active, .draining, .suspect, .revoked(wipe: false)]
    var callers = [Caller.anonymous, .administrator]
    for state in states {
        for addOnly in AuthorizationStatus.allCases {
            for readWrite in AuthorizationStatus.allCases {
                let access = EffectiveAccess(addOnly: addOnly, readWrite: readWrite)
                callers.append(Caller(credential: .device, state: state, access: access))
            }
        }
    }
    var generator = SeededGenerator(seed: 1)
    return Route.allCases.flatMap { route in
        callers.flatMap { caller in
            ObjectRelation.allCases.map { Call(route: route, caller: caller, object: $0) }
        }
    }.shuffled(using: &generator)
}
