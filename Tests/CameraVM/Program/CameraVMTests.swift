import Glibc

/// Captures from the kernel's own video drivers; `Tests/CameraVM/run` starts it in a virtual machine.
///
/// `camera-vm-tests [PART-OF-A-NAME | --list]`. Exit code 0 when every check passed, 1 otherwise.
@main
enum CameraVMTests {
    static let scenarios =
        Scenario.discovery + Scenario.capture + Scenario.injectedErrors + Scenario.sharing + Scenario.unplugging
        + Scenario.webcam

    static func main() async {
        let argument = CommandLine.arguments.dropFirst().first ?? ""
        if argument == "--list" {
            for scenario in scenarios { print(scenario.name) }
            return
        }
        let report = Report()
        let chosen = scenarios.filter { argument.isEmpty || $0.name.contains(argument) }
        for scenario in chosen { await scenario.run(report) }
        await report.check("there is a scenario of this name", !chosen.isEmpty, argument)
        exit(await report.summarize() ? 0 : 1)
    }
}
