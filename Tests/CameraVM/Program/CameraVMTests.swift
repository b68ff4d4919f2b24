import Glibc

/// Captures from the kernel's own video drivers; `Tests/CameraVM/run` starts it in a virtual machine.
///
/// `camera-vm-tests [PART-OF-A-NAME | --list]`. Exit code 0 when there were checks and all passed, 1 otherwise.
@main
enum CameraVMTests {
    static let scenarios =
        Scenario.discovery + Scenario.controls + Scenario.capture + Scenario.injectedErrors + Scenario.sharing
        + Scenario.unplugging + Scenario.webcam + Scenario.libcamera + Scenario.microphone + Scenario.agent
        + Scenario.sealing

    static func main() async {
        let argument = CommandLine.arguments.dropFirst().first ?? ""
        if argument == "--list" {
            for scenario in scenarios { print(scenario.name) }
            return
        }
        let report = Report()
        for scenario in scenarios where argument.isEmpty || scenario.name.contains(argument) {
            await scenario.run(report)
        }
        exit(await report.summarize() ? 0 : 1)
    }
}
