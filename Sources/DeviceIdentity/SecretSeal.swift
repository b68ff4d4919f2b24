import Glibc

/// Stores this machine's secrets in files: sealed by its TPM through `systemd-creds`, or plain with mode 0600.
///
/// A secret called `NAME` is in `NAME`, or sealed in `NAME.sealed`. The seal is bound to the machine's TPM and to the
/// secret's name, and to nothing that a firmware update changes: a disk read elsewhere reveals nothing, but a box that
/// is started as a whole can unseal.
package struct SecretSeal: Sendable {
    /// What protects a secret from somebody who has the disk.
    package enum Protection: Hashable, Sendable {
        /// The machine's TPM.
        case hardware
        /// Nothing but the file's mode.
        case fileMode
    }

    /// The suffix of a sealed secret.
    private static let ending = ".sealed"
    /// The TPM register that a seal is bound to: the debug one, which nothing changes and a start resets.
    ///
    /// Without any register `systemd-creds` 252 seals what it then refuses to open.
    private static let register = 16
    /// The first version of systemd whose `systemd-creds` asks a service on behalf of every user but root.
    private static let rootOnlyVersion = 256
    /// A secret is a key in PEM or hexadecimal.
    private static let maximumByteCount = 16_384

    private let program: String
    private let device: String

    /// Creates a seal by `systemd-creds`; the TPM's node is named because the default ends with a port that any user
    /// may listen on.
    package init(program: String = "/usr/bin/systemd-creds", device: String = "/dev/tpmrm0") {
        self.program = program
        self.device = device
    }

    /// Whether this machine has a TPM that this user can use, determined by trying; blocks.
    ///
    /// `systemd-creds has-tpm2` says no on a board whose firmware does not know the TPM, and yes if its libraries are
    /// missing or the user is not in the TPM's group.
    package var isAvailable: Bool {
        unsafe access(device, R_OK | W_OK) == 0 && (try? sealed(Array("a trial".utf8), "trial")) != nil
    }

    /// How a secret is protected; nil if there is none.
    package func protection(of path: String) -> Protection? {
        PrivateFile.exists(path) ? .fileMode : PrivateFile.exists(path + Self.ending) ? .hardware : nil
    }

    /// Reads a secret's text, unsealing it if necessary; nil without a file.
    ///
    /// The path is without the suffix of a sealed file. Blocks.
    ///
    /// - Throws: `fileFailed` also if this machine cannot unseal it, `fileInsecure`.
    package func read(_ path: String) throws(DeviceIdentityError) -> String? {
        switch protection(of: path) {
        case nil: return nil
        case .fileMode: return try PrivateFile.readSecret(path)
        case .hardware:
            let sealed = try PrivateFile.readSecret(path + Self.ending)
            let text = try call(["decrypt"], Array(sealed.utf8), path)
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Seals a plain secret; blocks.
    ///
    /// - Throws: `fileFailed` if this machine cannot seal; the secret then stays plain.
    package func seal(_ path: String) throws(DeviceIdentityError) {
        let text = try PrivateFile.readSecret(path)
        let sealed = try sealed(Array(text.utf8), path)
        try PrivateFile.remove(path + Self.ending)
        try PrivateFile.create(path + Self.ending, text: String(decoding: sealed, as: UTF8.self))
        try PrivateFile.erase(path)
    }

    /// Erases the leftovers of a sealing that a power cut interrupted.
    package func removeLeftover(_ path: String) throws(DeviceIdentityError) {
        let leftover = path + PrivateFile.goingEnding
        if PrivateFile.exists(leftover) { try PrivateFile.erase(leftover) }
    }

    /// Removes a sealed secret that has been replaced by a newer one.
    package func removeSealed(_ path: String) throws(DeviceIdentityError) {
        try PrivateFile.remove(path + Self.ending)
    }

    /// Seals bytes; the result is trusted only once it has been opened again.
    private func sealed(_ bytes: [UInt8], _ path: String) throws(DeviceIdentityError) -> [UInt8] {
        let sealed = try call(["encrypt", "--with-key=tpm2", "--tpm2-pcrs=\(Self.register)"], bytes, path)
        guard try call(["decrypt"], sealed, path) == bytes else {
            throw DeviceIdentityError(.fileFailed, "the sealed secret does not open unchanged", subject: path)
        }
        return sealed
    }

    private func call(_ arguments: [String], _ input: [UInt8], _ path: String) throws(DeviceIdentityError) -> [UInt8] {
        let common = ["--tpm2-device=\(device)", "--name=\(Self.name(path))", "-", "-"]
        let result = try PipedProgram.run(program, arguments + common, input: input)
        guard result.status == 0, !result.output.isEmpty, result.output.count <= Self.maximumByteCount else {
            let next = arguments[0] == "decrypt" ? reason : "the TPM did not seal it, try again"
            throw DeviceIdentityError(.fileFailed, "systemd-creds did not succeed: \(next)", subject: path)
        }
        return result.output
    }

    /// Why a sealed secret does not open, as far as can be told, and what to do.
    private var reason: String {
        guard unsafe access(device, F_OK) == 0 else {
            return
                "this box has no TPM (\(device)), and secrets open only in the box that sealed them: put the disk back"
        }
        guard unsafe access(device, R_OK | W_OK) == 0 else {
            return "this user may not use the TPM: add it to the group of \(device) (usermod -aG tss USER)"
        }
        guard geteuid() == 0 || !servesRootOnly else {
            return
                "from systemd \(Self.rootOnlyVersion) on only root can open it: unseal it as root "
                + "(docs/install.md, Upgrading to Debian 13)"
        }
        return
            "it was sealed by another box's TPM: put the disk back; or this TPM was cleared since: then what waits in the "
            + "queue is lost, move the agent's folder away and enroll again; or systemd's TPM libraries are missing: "
            + "apt-get install libtss2-esys-3.0.2-0 libtss2-rc0"
    }

    /// Whether `systemd-creds` hands the requests of other users than root to a service, which takes no options.
    private var servesRootOnly: Bool {
        guard let result = try? PipedProgram.run(program, ["--version"], input: []) else { return false }
        let words = String(decoding: result.output.prefix(64), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count > 1, let version = Int(words[1]) else { return false }
        return version >= Self.rootOnlyVersion
    }

    private static func name(_ path: String) -> String {
        "tintype-" + String(path.split(separator: "/").last ?? "")
    }
}

/// Runs a program without a shell, with small input and output.
private enum PipedProgram {
    /// Runs a program to its end; blocks.
    ///
    /// Input and output must fit a pipe (64 KiB).
    static func run(
        _ path: String,
        _ arguments: [String],
        input: [UInt8]
    ) throws(DeviceIdentityError) -> (status: Int32, output: [UInt8]) {
        let source = try pipe()
        let sink = try pipe()
        defer { for descriptor in [source.reading, sink.reading] { close(descriptor) } }
        var written = 0
        while written < input.count {
            let count = unsafe input.withUnsafeBytes { buffer in
                unsafe write(source.writing, buffer.baseAddress?.advanced(by: written), input.count - written)
            }
            guard count > 0 else { break }
            written += count
        }
        close(source.writing)
        let process = start(path, arguments, input: source.reading, output: sink.writing)
        close(sink.writing)
        guard let process else {
            throw DeviceIdentityError(.fileFailed, "the program cannot be run", subject: path)
        }
        let output = drain(sink.reading)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return (status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, output)
    }

    private static func drain(_ descriptor: Int32) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, output.count < 65_536 else { return output }
            output += buffer[..<count]
        }
    }

    private static func pipe() throws(DeviceIdentityError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw DeviceIdentityError(.fileFailed, "there is no room for a pipe", subject: "pipe")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func start(_ path: String, _ arguments: [String], input: Int32, output: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var texts = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe texts.forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, path, &actions, nil, &texts, environ) == 0 else { return nil }
        return process
    }
}
