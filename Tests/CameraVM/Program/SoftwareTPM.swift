import Foundation

/// A TPM 2.0 made of software (swtpm), which the kernel gives the nodes of one in hardware.
struct SoftwareTPM: Sendable {
    static let node = "/dev/tpmrm0"
    /// The group that may use it, in the place of Debian's `tss`.
    static let group: UInt32 = 4712
    private let folder: String

    /// A TPM with a seed of its own, that is not there yet.
    init(_ name: String) throws {
        folder = "\(Machine.folder)/tpm-\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Starts it, as with its machine, and waits for its node; ending the program is a power cut.
    func start() async throws -> BackgroundProgram {
        let arguments = ["chardev", "--vtpm-proxy", "--tpm2", "--tpmstate", "dir=\(folder)"]
        let program = try Machine.start("swtpm", arguments)
        try await Machine.wait(for: "the TPM's node") { Machine.exists(Self.node) && program.isRunning }
        // As Debian's rule for udev does.
        guard unsafe chown(Self.node, 0, Self.group) == 0, unsafe chmod(Self.node, 0o660) == 0 else {
            throw MachineError("\(Self.node) cannot be given to a group: \(errno)")
        }
        return program
    }

    /// Waits until no TPM is there any more.
    static func waitUntilGone() async throws {
        try await Machine.wait(for: "the TPM's node to go") { !Machine.exists(node) }
    }
}
