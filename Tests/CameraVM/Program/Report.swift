import Glibc

/// Prints one line a check and counts them.
actor Report {
    private let start = ContinuousClock.now
    private var scenario = ""
    private var passedCount = 0
    private var failedCount = 0

    /// The checks that follow belong to this scenario.
    func begin(_ name: String) {
        scenario = name
    }

    /// Takes the outcome of one check.
    ///
    /// - Parameters:
    ///   - sentence: what must hold.
    ///   - holds: whether it does.
    ///   - seen: what was seen, printed when it does not hold.
    func check(_ sentence: String, _ holds: Bool, _ seen: (any Sendable)? = nil) {
        if holds { passedCount += 1 } else { failedCount += 1 }
        let detail = holds ? "" : seen.map { "; seen: \($0)" } ?? ""
        emit("\(holds ? "pass" : "FAIL") \(scenario): \(sentence)\(detail)")
    }

    /// Prints something that is measured and not judged.
    func note(_ text: String) {
        emit("     \(scenario): \(text)")
    }

    /// Prints the counts; true when there were checks and none failed.
    func summarize() -> Bool {
        let seconds = (ContinuousClock.now - start).components.seconds
        emit("\(passedCount) passed, \(failedCount) failed (\(seconds) s)")
        return passedCount > 0 && failedCount == 0
    }

    /// At once, so that the lines of a machine that falls over are not lost.
    private func emit(_ line: String) {
        print(line)
        fflush(nil)
    }
}
