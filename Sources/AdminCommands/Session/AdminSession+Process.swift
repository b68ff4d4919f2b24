import FoundationEssentials
import Glibc
import LibraryClient
import PhotoModel
import Terminal

extension AdminSession {
    static let process = AdminSession(
        connect: connect,
        now: { WallTime(microsecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000_000)) },
        environment: ProcessInfo.processInfo.environment,
        hostName: ProcessInfo.processInfo.hostName,
        read: { path in Array(try Data(contentsOf: URL(filePath: path))) },
        terminal: .ofStandardOutput(environment: ProcessInfo.processInfo.environment),
        output: { write($0, to: STDOUT_FILENO) },
        note: { write($0, to: STDERR_FILENO) },
        ask: isatty(STDIN_FILENO) == 1 ? ask : nil,
        replaceProcess: replaceProcess
    )

    /// `sun_path` of `sockaddr_un` minus its terminating NUL.
    private static let maximumSocketPathByteCount = 107

    @Sendable private static func connect(_ access: LibraryAccess) throws -> LibraryClient {
        switch access {
        case .socket(let path): try connect(toSocket: path)
        case .remote(let remote):
            LibraryClient(
                try CurlTransport(
                    CurlSettings(origin: remote.origin, trust: .pinned(remote.authority), identity: remote.identity)
                )
            )
        }
    }

    private static func connect(toSocket path: String) throws -> LibraryClient {
        guard 1...maximumSocketPathByteCount ~= path.utf8.count else {
            throw AdminError(
                .usage,
                "A socket's path has 1 to \(maximumSocketPathByteCount) bytes: \(path)",
                next: "the same command with a shorter path for --socket"
            )
        }
        guard unsafe Glibc.access(path, R_OK | W_OK) == 0 else {
            let isForbidden = errno == EACCES || errno == EPERM
            throw AdminError(
                isForbidden ? .notAllowed : .unreachable,
                isForbidden ? "You may not open the operators' socket \(path)." : "No server is listening at \(path).",
                next: isForbidden
                    ? "run tintypectl as the user of tintype-server, for example with sudo -u tintype-server"
                    : "start tintype-server serve, or name it with --socket or --context"
            )
        }
        return LibraryClient(try CurlTransport(CurlSettings(origin: .socketFile, trust: .socketFile(path: path))))
    }

    @Sendable private static func replaceProcess(_ program: String, _ arguments: [String]) throws {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = URL(filePath: own).deletingLastPathComponent().appending(path: program).path
        let file = FileManager.default.isExecutableFile(atPath: beside) ? beside : program
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        // Returns only on failure.
        _ = unsafe execvp(file, &words)
        unsafe words.forEach { unsafe free($0) }
        throw AdminError("\(program) cannot be run here.", next: "install it on this machine: apt install \(program)")
    }

    @Sendable private static func ask(_ question: String) -> String? {
        write(question, to: STDERR_FILENO)
        return readLine()
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A closed pipe, as from `head`, is not a failure of the command.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
