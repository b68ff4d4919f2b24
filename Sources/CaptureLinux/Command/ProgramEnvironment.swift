import CCameraProgram

/// The environment of the programs that the agent starts for cameras and hooks.
///
/// It holds what a program needs to find files and to choose a language. The agent's own environment also names its
/// credentials and the service manager's socket.
enum ProgramEnvironment {
    /// The variables that are passed on.
    static let names: Set<String> = [
        "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
        "XDG_RUNTIME_DIR",
    ]
    /// The beginnings of further ones: formats of a language, and the settings of libcamera and GStreamer.
    static let prefixes = ["LC_", "LIBCAMERA_", "GST_"]

    /// The reduced environment of this process.
    static func current() -> [String] {
        var entries: [String] = []
        var place = unsafe tt_environment()
        while let entry = unsafe place?.pointee {
            entries.append(unsafe String(cString: entry))
            unsafe place = place?.advanced(by: 1)
        }
        return reduced(entries)
    }

    /// The entries that are passed on, each a name, an equals sign and a value.
    static func reduced(_ entries: [String]) -> [String] {
        entries.filter { entry in
            let name = String(entry.prefix { $0 != "=" })
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }
}
