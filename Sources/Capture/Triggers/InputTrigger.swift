import Synchronization

/// A change of an electrical input.
package struct InputEdge: Hashable, Sendable {
    /// When it changed, as timestamped by the kernel.
    package let time: MonotonicTime
    /// Whether it went from inactive to active.
    package let isRising: Bool

    package init(time: MonotonicTime, isRising: Bool) {
        self.time = time
        self.isRising = isRising
    }
}

/// An electrical input that reports its changes.
package protocol InputLine: Sendable {
    /// Delivers changes until the task is cancelled, then releases the line.
    ///
    /// - Parameter receive: called with each change on the waiting thread; it returns at once.
    /// - Throws: `deviceBusy`, `deviceLost`, `unsupported`, `deviceFailed`.
    func run(_ receive: @escaping @Sendable (InputEdge) -> Void) async throws(CaptureError)
}

/// Which edges of an input count.
package enum InputEdges: String, Hashable, Sendable, CaseIterable {
    /// From inactive to active.
    case rising
    /// From active to inactive.
    case falling
    /// Both.
    case both
}

/// The resistor of an input, which determines how an open contact reads.
package enum InputBias: String, Hashable, Sendable, CaseIterable {
    /// None, or an external one.
    case none
    /// To the supply.
    case pullUp
    /// To ground.
    case pullDown
}

/// Passes one change per button press, as contacts bounce.
package struct EdgeFilter: Hashable, Sendable {
    private let edges: InputEdges
    private let quietTime: Duration
    private var lastChange: MonotonicTime?

    /// Creates a filter of the edges that count; a change sooner than the quiet time after any other is a bounce.
    package init(_ edges: InputEdges, quietTime: Duration) {
        self.edges = edges
        self.quietTime = quietTime
    }

    /// Examines a change; true if it counts.
    package mutating func accepts(_ edge: InputEdge) -> Bool {
        let isBounce = lastChange.map { edge.time.duration(since: $0) < quietTime } ?? false
        lastChange = edge.time
        guard !isBounce else { return false }
        return edges == .both || edge.isRising == (edges == .rising)
    }
}

/// Fires when an electrical input changes: a button, a door contact, a motion sensor.
package struct InputTrigger: TriggerSource {
    /// The trigger it reports.
    package let trigger: Trigger
    private let line: any InputLine
    private let filter: EdgeFilter

    /// A trigger on a line.
    package init(_ line: any InputLine, filter: EdgeFilter, name: String? = nil) {
        self.line = line
        self.filter = filter
        trigger = Trigger(.input, name: name)
    }

    /// Fires on each change that counts.
    package func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        let filter = Mutex(filter)
        try await line.run { edge in
            guard filter.withLock({ $0.accepts(edge) }) else { return }
            fire(TriggerEvent(trigger, at: edge.time))
        }
    }
}
