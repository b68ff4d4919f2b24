import Foundation

/// The machine that figures were taken on, in one line: they mean nothing without it.
func machineDescription() -> String {
    func lines(_ path: String) -> [Substring] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
    }
    func value(_ line: Substring?) -> String {
        line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    }
    let processor = value(lines("/proc/cpuinfo").first { $0.hasPrefix("model name") })
    let memory = value(lines("/proc/meminfo").first)
    let load = lines("/proc/loadavg").first?.split(separator: " ").first.map(String.init) ?? "unknown"
    let cores = ProcessInfo.processInfo.activeProcessorCount
    return "\(processor), \(cores) cores, \(memory), load \(load) at the start"
}
