import DeviceIdentity
import Foundation
import TestSupport
import Testing

struct SecretSealTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tt-seal-\(UUID().uuidString)")

    /// A stand-in for `systemd-creds` on a machine of a name: what another machine or another name sealed does not open.
    ///
    /// How the real one and a TPM behave, the scenario `sealing.tpm` of `Tests/CameraVM` shows.
    private func seal(on machine: String, hasTPM: Bool = true, isWorking: Bool = true, version: Int = 252)
        throws -> SecretSeal
    {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = """
            #!/bin/sh
            name=$(printf '%s\\n' "$@" | grep '^--name=')
            case "$1" in
                --version) echo "systemd \(version) (\(version).1-1)"; echo "+PAM" ;;
                encrypt) \(isWorking ? "" : "exit 1;") echo "\(machine) $name"; base64 ;;
                decrypt) read -r line; [ "$line" = "\(machine) $name" ] || exit 1; base64 -d ;;
            esac
            """
        let program = folder.appending(path: "creds-\(machine)").path
        try ExecutableFile.write(script, to: program)
        let device = folder.appending(path: "tpmrm0-\(machine)").path
        if hasTPM { try Data().write(to: URL(filePath: device)) }
        return SecretSeal(program: program, device: device)
    }

    @Test("A secret is read as it is, sealed, read again, and nothing of it lies on the disk then")
    func seals() throws {
        let seal = try seal(on: "a")
        let path = folder.appending(path: "key.pem").path
        #expect(try seal.protection(of: path) == nil && seal.read(path) == nil)
        try PrivateFile.create(path, text: "a secret of some length\n")
        #expect(try seal.protection(of: path) == .fileMode && seal.read(path) == "a secret of some length\n")
        #expect(seal.isAvailable)
        try seal.seal(path)
        #expect(try seal.protection(of: path) == .hardware && seal.read(path) == "a secret of some length\n")
        #expect(!FileManager.default.fileExists(atPath: path))
        let kept = try String(contentsOfFile: path + ".sealed", encoding: .utf8)
        #expect(!kept.contains("a secret"))
        let mode = try FileManager.default.attributesOfItem(atPath: path + ".sealed")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("A power cut while the plain secret is erased leaves the sealed one, and what is left of the other goes")
    func leftover() throws {
        let seal = try seal(on: "a")
        let path = folder.appending(path: "key.pem").path
        try PrivateFile.create(path, text: "secret")
        try seal.seal(path)
        let left = path + ".going"
        try Data(repeating: 0, count: 6).write(to: URL(filePath: left))
        #expect(try seal.read(path) == "secret")
        try seal.removeLeftover(path)
        #expect(try !FileManager.default.fileExists(atPath: left) && seal.read(path) == "secret")
    }

    @Test("T9: another machine does not open what is sealed, and another name neither")
    func bound() throws {
        let path = folder.appending(path: "key.pem").path
        let mine = try seal(on: "a")
        try PrivateFile.create(path, text: "secret")
        try mine.seal(path)
        let failure = #expect(throws: DeviceIdentityError.self) { try seal(on: "b").read(path) }
        #expect(failure?.message.contains("sealed by another box's TPM: put the disk back") == true)
        let newer = #expect(throws: DeviceIdentityError.self) { try seal(on: "d", version: 257).read(path) }
        let isRoot = geteuid() == 0
        #expect(newer?.message.contains("as root") == !isRoot && newer?.message.contains("another box") == isRoot)
        let none = #expect(throws: DeviceIdentityError.self) { try seal(on: "c", hasTPM: false).read(path) }
        #expect(none?.message.contains("this box has no TPM") == true)
        let other = folder.appending(path: "queue.key").path
        try FileManager.default.moveItem(atPath: path + ".sealed", toPath: other + ".sealed")
        #expect(throws: DeviceIdentityError.self) { try mine.read(other) }
    }

    @Test("Where sealing fails the secret stays as it is")
    func failing() throws {
        _ = try seal(on: "a", hasTPM: false)
        let path = folder.appending(path: "key.pem").path
        try PrivateFile.create(path, text: "secret")
        let broken = try seal(on: "b", isWorking: false)
        #expect(!broken.isAvailable)
        #expect(throws: DeviceIdentityError.self) { try broken.seal(path) }
        #expect(try broken.read(path) == "secret" && broken.protection(of: path) == .fileMode)
        #expect(try !seal(on: "c", hasTPM: false).isAvailable)
        #expect(throws: DeviceIdentityError.self) { try SecretSeal(program: "/nowhere/creds").seal(path) }
    }
}
