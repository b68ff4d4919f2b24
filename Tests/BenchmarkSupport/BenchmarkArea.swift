@preconcurrency @unsafe import Glibc

/// A part of a benchmark program, that can be run by its name.
package struct BenchmarkArea {
    /// What it is called on the command line.
    package let name: String
    private let run: () async throws -> Void

    /// Takes the area as it is.
    package init(_ name: String, _ run: @escaping () async throws -> Void) {
        self.name = name
        self.run = run
    }

    /// Prints the machine, and runs the areas that the command line names; all of them when it names none.
    ///
    /// - Parameter areas: what the program can measure.
    /// - Throws: what an area throws.
    package static func runNamed(_ areas: [BenchmarkArea]) async throws {
        // A line is seen when it is printed, also through a pipe.
        unsafe setvbuf(stdout, nil, _IOLBF, 0)
        let wanted = CommandLine.arguments.dropFirst()
        print("machine: \(machineDescription())")
        for area in areas where wanted.isEmpty || wanted.contains(area.name) {
            print("## \(area.name)")
            try await area.run()
        }
    }
}
