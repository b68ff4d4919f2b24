/// The modules, their layers and what each may import: docs/modules.md as data.
///
/// A module that is missing here fails the tests, so that adding one is a decision and not an accident.
struct Architecture {
    /// From the bottom up; imports point to a lower layer, or sideways only where a module's row says so.
    enum Layer: Int, Comparable {
        case boundary, values, ports, engines, composition, executables

        static func < (left: Layer, right: Layer) -> Bool { left.rawValue < right.rawValue }
    }

    struct Module {
        let layer: Layer
        /// Modules of ours that it may import; nil means any of a lower layer.
        var imports: Set<String>?
        /// Modules of its own layer that it may import all the same.
        var sideways: Set<String> = []
    }

    static let values: Set<String> = ["Authorization", "MediaFormats", "PhotoModel", "Replication"]

    static let modules: [String: Module] = [
        "CALSA": Module(layer: .boundary, imports: []),
        "CBrotli": Module(layer: .boundary, imports: []),
        "CCameraProgram": Module(layer: .boundary, imports: []),
        "CCurl": Module(layer: .boundary, imports: [], sideways: ["CLateLoading"]),
        "CFFmpeg": Module(layer: .boundary, imports: [], sideways: ["CLateLoading"]),
        "CFFmpegDecoding": Module(layer: .boundary, imports: []),
        "CFileSystem": Module(layer: .boundary, imports: []),
        "CGPIO": Module(layer: .boundary, imports: []),
        "CHEIF": Module(layer: .boundary, imports: [], sideways: ["CLateLoading"]),
        "CLateLoading": Module(layer: .boundary, imports: []),
        "CMediaWorker": Module(layer: .boundary, imports: []),
        "CPostgreSQL": Module(layer: .boundary, imports: [], sideways: ["CLateLoading"]),
        "CProcessMemory": Module(layer: .boundary, imports: []),
        "CTurboJPEG": Module(layer: .boundary, imports: []),
        "CV4LConvert": Module(layer: .boundary, imports: []),
        "CVideo4Linux": Module(layer: .boundary, imports: []),
        "CVips": Module(layer: .boundary, imports: []),
        "CZlib": Module(layer: .boundary, imports: []),
        "CZlibDecoding": Module(layer: .boundary, imports: []),

        "Authorization": Module(layer: .values, imports: [], sideways: ["PhotoModel"]),
        "MediaFormats": Module(layer: .values, imports: [], sideways: ["PhotoModel"]),
        "PhotoModel": Module(layer: .values, imports: []),
        "Replication": Module(layer: .values, imports: []),

        "Capture": Module(layer: .ports, imports: ["Authorization", "MediaFormats", "PhotoModel"]),
        "DeviceIdentity": Module(layer: .ports, imports: ["PhotoModel"]),
        "Host": Module(layer: .ports, imports: ["CProcessMemory", "PhotoModel"]),
        "LibraryAPI": Module(layer: .ports, imports: values),
        "Observability": Module(layer: .ports, imports: ["PhotoModel"]),
        "Settings": Module(layer: .ports, imports: []),
        "Terminal": Module(layer: .ports, imports: ["PhotoModel"]),

        "AgentStore": Module(
            layer: .engines,
            imports: values.union(["LibraryAPI", "DeviceIdentity"]),
            sideways: ["MediaFiles", "Persistence"]
        ),
        "BoxIdentity": Module(
            layer: .engines,
            imports: values.union(["DeviceIdentity", "Host", "LibraryAPI"]),
            sideways: ["AgentStore", "LibraryClient", "Persistence"]
        ),
        "CaptureLinux": Module(
            layer: .engines,
            imports: [
                "CALSA", "CCameraProgram", "CGPIO", "CV4LConvert", "CVideo4Linux", "Capture", "Host", "MediaFormats",
                "PhotoModel",
            ]
        ),
        "Immich": Module(
            layer: .engines,
            imports: ["LibraryAPI", "PhotoModel"],
            sideways: ["LibraryClient", "MediaFiles", "Persistence"]
        ),
        "LibraryClient": Module(layer: .engines, imports: values.union(["CCurl", "LibraryAPI", "DeviceIdentity"])),
        "LibraryStore": Module(
            layer: .engines,
            imports: values.union(["LibraryAPI", "DeviceIdentity"]),
            sideways: ["ObjectStorage", "Persistence", "PostgreSQL"]
        ),
        "MediaDecoding": Module(
            layer: .engines,
            imports: ["CFFmpegDecoding", "CVips", "MediaFormats", "PhotoModel"],
            sideways: ["MediaWorker"]
        ),
        "MediaEncoding": Module(
            layer: .engines,
            imports: ["CFFmpeg", "CHEIF", "CTurboJPEG", "Capture", "MediaFormats", "PhotoModel"],
            sideways: ["Persistence"]
        ),
        "MediaFiles": Module(
            layer: .engines,
            imports: ["CZlibDecoding", "Host", "LibraryAPI", "MediaFormats", "PhotoModel"],
            sideways: ["Persistence"]
        ),
        "ObjectStorage": Module(layer: .engines, imports: ["PhotoModel"]),
        "MediaWorker": Module(layer: .engines, imports: ["CMediaWorker", "PhotoModel"]),
        "Persistence": Module(layer: .engines, imports: values.union(["CFileSystem"])),
        "PhotoLibrary": Module(
            layer: .engines,
            imports: values.union(["Host", "LibraryAPI"]),
            sideways: ["AgentStore", "BoxIdentity", "LibraryClient", "Persistence"]
        ),
        "PostgreSQL": Module(layer: .engines, imports: ["CPostgreSQL"], sideways: ["Persistence"]),
        "SyncEngine": Module(layer: .engines, imports: values.union(["LibraryAPI"])),

        "AdminCommands": Module(
            layer: .composition,
            imports: values.union([
                "DeviceIdentity", "Immich", "LibraryAPI", "LibraryClient", "MediaFiles", "Persistence", "Terminal",
            ])
        ),
        "AgentCapture": Module(
            layer: .composition,
            imports: values.union([
                "AgentStore", "Capture", "CaptureLinux", "Host", "LibraryAPI", "MediaEncoding", "MediaFiles",
                "Persistence", "PhotoLibrary", "Settings", "Terminal",
            ])
        ),
        "AgentCommands": Module(
            layer: .composition,
            imports: values.union([
                "AgentStore", "BoxIdentity", "Capture", "CaptureLinux", "DeviceIdentity", "Host", "Immich",
                "LibraryAPI", "LibraryClient", "MediaEncoding", "MediaFiles", "Observability", "Persistence",
                "PhotoLibrary", "Settings", "SyncEngine", "Terminal",
            ]),
            sideways: ["AgentCapture", "AgentService"]
        ),
        "AgentService": Module(
            layer: .composition,
            imports: values.union([
                "AgentStore", "BoxIdentity", "Capture", "CaptureLinux", "DeviceIdentity", "Host", "LibraryAPI",
                "LibraryClient", "MediaEncoding", "Observability", "Persistence", "PhotoLibrary", "Settings",
                "SyncEngine", "Terminal",
            ]),
            sideways: ["AgentCapture"]
        ),
        "LibraryServer": Module(
            layer: .composition,
            imports: values.union([
                "CBrotli", "CZlib", "DeviceIdentity", "LibraryAPI", "LibraryStore", "MediaWorker", "ObjectStorage",
                "Observability", "Persistence", "PostgreSQL", "Settings", "Terminal",
            ])
        ),

        "tintype-agent": Module(layer: .executables, imports: ["AgentCommands"]),
        "tintype-media": Module(layer: .executables, imports: ["MediaDecoding", "MediaWorker"]),
        "tintype-server": Module(layer: .executables, imports: ["Host", "LibraryServer", "Observability"]),
        "tintypectl": Module(layer: .executables, imports: ["AdminCommands", "Observability"]),
    ]

    /// Packages and system modules that only these modules may import.
    static let confined: [String: Set<String>] = [
        "ArgumentParser": [
            "AdminCommands", "AgentCommands", "LibraryServer", "Terminal", "tintype-server", "tintypectl",
        ],
        "CALSA": ["CaptureLinux"],
        "CBrotli": ["LibraryServer"],
        "CCameraProgram": ["CaptureLinux"],
        "CCurl": ["LibraryClient"],
        "CFFmpeg": ["MediaEncoding"],
        "CFFmpegDecoding": ["MediaDecoding"],
        "CFileSystem": ["Persistence"],
        "CGPIO": ["CaptureLinux"],
        "CHEIF": ["MediaEncoding"],
        "CPostgreSQL": ["PostgreSQL"],
        "CProcessMemory": ["Host"],
        "CTurboJPEG": ["MediaEncoding"],
        "CV4LConvert": ["CaptureLinux"],
        "CVideo4Linux": ["CaptureLinux"],
        "CVips": ["MediaDecoding"],
        "CZlib": ["LibraryServer"],
        "CZlibDecoding": ["MediaFiles"],
        // X509's dates and the server's calendar, files and JSON; the agent does without.
        "Foundation": ["DeviceIdentity", "LibraryServer", "LibraryStore"],
        "GRDB": ["AgentStore", "LibraryStore", "Persistence"],
        "Hummingbird": ["LibraryServer"],
        "RawStructuredFieldValues": ["LibraryAPI"],
        "X509": ["DeviceIdentity", "LibraryServer"],
    ]

    /// What the toolchain brings, and what of it values may use.
    static let toolchain: Set<String> = [
        "CoreFoundation", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Swift", "Synchronization",
    ]
    static let toolchainForValues: Set<String> = ["Swift", "Glibc"]
}
