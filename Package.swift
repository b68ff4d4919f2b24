// swift-tools-version: 6.2
import PackageDescription

// One section a target with its test target, alphabetical, one dependency a line.
// Imports point down only (docs/modules.md); Tests/TidyTests holds this file and the sources to it.

let package = Package(
    name: "tintype",
    products: [
        .library(name: "PhotoLibrary", targets: ["PhotoLibrary"]),
        .library(name: "PhotoModel", targets: ["PhotoModel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // MARK: AdminCommands
        .target(
            name: "AdminCommands",
            dependencies: [
                "Authorization",
                "DeviceIdentity",
                "Immich",
                "LibraryAPI",
                "LibraryClient",
                "MediaFiles",
                "MediaFormats",
                "Persistence",
                "PhotoModel",
                "Terminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "AdminCommandsTests",
            dependencies: [
                "AdminCommands",
                "Authorization",
                "DeviceIdentity",
                "ImmichTestSupport",
                "LibraryAPI",
                "LibraryClient",
                "MediaFiles",
                "Persistence",
                "PhotoModel",
                "Terminal",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),

        // MARK: AgentCapture
        .target(
            name: "AgentCapture",
            dependencies: [
                "AgentStore",
                "Authorization",
                "Capture",
                "CaptureLinux",
                "Host",
                "LibraryAPI",
                "MediaEncoding",
                "MediaFiles",
                "MediaFormats",
                "Persistence",
                "PhotoLibrary",
                "PhotoModel",
                "Settings",
                "Terminal",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // MARK: AgentCommands
        .target(
            name: "AgentCommands",
            dependencies: [
                "AgentCapture",
                "AgentService",
                "AgentStore",
                "Authorization",
                "BoxIdentity",
                "Capture",
                "CaptureLinux",
                "DeviceIdentity",
                "Host",
                "Immich",
                "LibraryAPI",
                "LibraryClient",
                "MediaEncoding",
                "MediaFiles",
                "Observability",
                "Persistence",
                "PhotoLibrary",
                "PhotoModel",
                "Settings",
                "SyncEngine",
                "Terminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // MARK: AgentService
        .target(
            name: "AgentService",
            dependencies: [
                "AgentCapture",
                "AgentStore",
                "Authorization",
                "BoxIdentity",
                "Capture",
                "CaptureLinux",
                "DeviceIdentity",
                "Host",
                "LibraryAPI",
                "LibraryClient",
                "MediaEncoding",
                "Observability",
                "Persistence",
                "PhotoLibrary",
                "PhotoModel",
                "Replication",
                "Settings",
                "SyncEngine",
                "Terminal",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "AgentServiceTests",
            dependencies: [
                "AgentCapture",
                "AgentCommands",
                "AgentService",
                "AgentStore",
                "Authorization",
                "BoxIdentity",
                "Capture",
                "CaptureLinux",
                "CaptureTestSupport",
                "DeviceIdentity",
                "Host",
                "Immich",
                "ImmichTestSupport",
                "LibraryAPI",
                "LibraryClient",
                "MediaEncoding",
                "MediaFormats",
                "MediaSamples",
                "Observability",
                "Persistence",
                "PhotoLibrary",
                "PhotoModel",
                "Settings",
                "SyncEngine",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),

        // MARK: AgentStore
        .target(
            name: "AgentStore",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "MediaFiles",
                "MediaFormats",
                "Persistence",
                "PhotoModel",
                "Replication",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "AgentStoreTests",
            dependencies: [
                "AgentStore",
                "Authorization",
                "LibraryAPI",
                "Persistence",
                "PhotoModel",
                "Replication",
                "TestSupport",
                "queue-writer",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "queue-writer",
            dependencies: [
                "AgentStore",
                "Authorization",
                "LibraryAPI",
                "Persistence",
                "PhotoModel",
            ],
            path: "Tests/QueueWriter"
        ),

        // MARK: Authorization
        .target(
            name: "Authorization",
            dependencies: [
                "PhotoModel"
            ]
        ),
        .testTarget(
            name: "AuthorizationTests",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "PhotoModel",
                "TestSupport",
            ],
            resources: [.copy("Fixtures")]
        ),

        // MARK: Benchmarks
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Authorization",
                "BenchmarkSupport",
                "Capture",
                "CaptureLinux",
                "CaptureTestSupport",
                "LibraryAPI",
                "LibraryClient",
                "LibraryLoad",
                "LibraryStore",
                "MediaEncoding",
                "MediaFormats",
                "MediaWorker",
                "ObjectStorage",
                "ObjectStorageTestSupport",
                "PhotoModel",
                "PostgreSQL",
                "PostgreSQLTestSupport",
                "Replication",
                "TestSupport",
                "idle-ring",
                "tintype-media",
                "tintype-server",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Benchmarks",
            exclude: ["server_peers.py", "streaming.py"]
        ),
        .target(
            name: "BenchmarkSupport",
            path: "Tests/BenchmarkSupport"
        ),
        .executableTarget(
            name: "value-benchmarks",
            dependencies: [
                "Authorization",
                "BenchmarkSupport",
                "MediaFiles",
                "MediaFormats",
                "MediaSamples",
                "Persistence",
                "PhotoModel",
                "Replication",
                "TestSupport",
            ],
            path: "Tests/ValueBenchmarks",
            exclude: ["crdt_peers.py"]
        ),
        .executableTarget(
            name: "idle-ring",
            dependencies: [
                "Capture",
                "CaptureLinux",
                "CaptureTestSupport",
                "MediaEncoding",
                "MediaFormats",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/IdleRing"
        ),

        // MARK: BoxIdentity
        .target(
            name: "BoxIdentity",
            dependencies: [
                "AgentStore",
                "DeviceIdentity",
                "Host",
                "LibraryAPI",
                "LibraryClient",
                "Persistence",
                "PhotoModel",
            ]
        ),
        .testTarget(
            name: "BoxIdentityTests",
            dependencies: [
                "BoxIdentity",
                "DeviceIdentity",
                "LibraryAPI",
                "Persistence",
                "PhotoModel",
                "TestSupport",
            ]
        ),

        // MARK: CALSA
        .systemLibrary(
            name: "CALSA",
            pkgConfig: "alsa",
            providers: [.apt(["libasound2-dev"])]
        ),

        // MARK: Camera tests
        .executableTarget(
            name: "camera-vm-tests",
            dependencies: [
                "Capture",
                "CaptureLinux",
                "MediaEncoding",
                "MediaFormats",
                "MediaSamples",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/CameraVM/Program"
        ),

        // MARK: Campaigns
        .executableTarget(
            name: "campaign",
            dependencies: [
                "LibraryLoad",
                "TestSupport",
                "tintype-server",
            ],
            path: "Tests/Campaign"
        ),

        // MARK: Capture
        .target(
            name: "Capture",
            dependencies: [
                "MediaFormats",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .target(
            name: "CaptureTestSupport",
            dependencies: [
                "Capture",
                "PhotoModel",
            ],
            path: "Tests/CaptureTestSupport"
        ),
        .testTarget(
            name: "CaptureTests",
            dependencies: [
                "Capture",
                "CaptureTestSupport",
                "MediaFormats",
                "PhotoModel",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // MARK: CaptureLinux
        .target(
            name: "CaptureLinux",
            dependencies: [
                "CALSA",
                "CCameraProgram",
                "CGPIO",
                "CV4LConvert",
                "CVideo4Linux",
                "Capture",
                "Host",
                "MediaFormats",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(
            name: "CaptureLinuxTests",
            dependencies: [
                "Capture",
                "CaptureLinux",
                "MediaFormats",
                "MediaSamples",
                "PhotoModel",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // MARK: CCameraProgram
        .target(
            name: "CCameraProgram"
        ),

        // MARK: CCurl
        .target(
            name: "CCurl",
            dependencies: ["CLateLoading"]
        ),

        // MARK: CFFmpeg
        .target(
            name: "CFFmpeg",
            dependencies: ["CLateLoading"]
        ),

        // MARK: CFFmpegDecoding
        .systemLibrary(
            name: "CFFmpegDecoding",
            pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev"])]
        ),

        // MARK: CFileSystem
        .systemLibrary(
            name: "CFileSystem"
        ),

        // MARK: CGPIO
        .target(
            name: "CGPIO"
        ),

        // MARK: CHEIF
        .target(
            name: "CHEIF",
            dependencies: ["CLateLoading"]
        ),

        // MARK: CLateLoading
        .target(
            name: "CLateLoading"
        ),

        // MARK: CMediaWorker
        .target(
            name: "CMediaWorker"
        ),

        // MARK: CPostgreSQL
        .target(
            name: "CPostgreSQL",
            dependencies: ["CLateLoading"]
        ),

        // MARK: CProcessMemory
        .systemLibrary(
            name: "CProcessMemory"
        ),

        // MARK: CTurboJPEG
        .systemLibrary(
            name: "CTurboJPEG",
            pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]
        ),

        // MARK: CV4LConvert
        .target(
            name: "CV4LConvert",
            linkerSettings: [.linkedLibrary("v4lconvert")]
        ),

        // MARK: CVideo4Linux
        .systemLibrary(
            name: "CVideo4Linux"
        ),

        // MARK: CVips
        .systemLibrary(
            name: "CVips",
            pkgConfig: "vips",
            providers: [.apt(["libvips-dev"])]
        ),

        // MARK: CBrotli
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"])]
        ),

        // MARK: CZlib
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),

        // MARK: CZlibDecoding
        .systemLibrary(
            name: "CZlibDecoding",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),

        // MARK: DeviceIdentity
        .target(
            name: "DeviceIdentity",
            dependencies: [
                "PhotoModel",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .testTarget(
            name: "DeviceIdentityTests",
            dependencies: [
                "DeviceIdentity",
                "PhotoModel",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),

        // MARK: End to end
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AgentStore",
                "LibraryAPI",
                "LibraryClient",
                "LibraryLoad",
                "Persistence",
                "PhotoModel",
                "TestSupport",
                "hallway-frame",
                "tintype-agent",
                "tintype-server",
            ]
        ),

        // MARK: Examples
        .executableTarget(
            name: "hallway-frame",
            dependencies: [
                "PhotoLibrary"
            ],
            path: "Examples/HallwayFrame",
            // As a program of somebody else: only what is public.
            packageAccess: false
        ),
        .executableTarget(
            name: "shutter-button",
            dependencies: [
                "PhotoLibrary"
            ],
            path: "Examples/ShutterButton",
            packageAccess: false
        ),

        // MARK: Host
        .target(
            name: "Host",
            dependencies: [
                "CProcessMemory",
                "PhotoModel",
            ]
        ),

        // MARK: Immich
        .target(
            name: "Immich",
            dependencies: [
                "LibraryAPI",
                "LibraryClient",
                "MediaFiles",
                "Persistence",
                "PhotoModel",
            ]
        ),

        // MARK: LibraryAPI
        .target(
            name: "LibraryAPI",
            dependencies: [
                "Authorization",
                "PhotoModel",
                "Replication",
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ]
        ),
        .testTarget(
            name: "LibraryAPITests",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "PhotoModel",
                "TestSupport",
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ]
        ),

        // MARK: LibraryClient
        .target(
            name: "LibraryClient",
            dependencies: [
                "CCurl",
                "LibraryAPI",
                "PhotoModel",
            ]
        ),
        .testTarget(
            name: "LibraryClientTests",
            dependencies: [
                "DeviceIdentity",
                "LibraryAPI",
                "LibraryClient",
                "Persistence",
                "PhotoModel",
                "TestSupport",
            ]
        ),

        // MARK: LibraryServer
        .target(
            name: "LibraryServer",
            dependencies: [
                "Authorization",
                "CBrotli",
                "CZlib",
                "DeviceIdentity",
                "LibraryAPI",
                "LibraryStore",
                "MediaFormats",
                "MediaWorker",
                "ObjectStorage",
                "Observability",
                "Persistence",
                "PhotoModel",
                "Replication",
                "PostgreSQL",
                "Settings",
                "Terminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [.embedInCode("Resources/openapi.yaml"), .embedInCode("Resources/web")]
        ),
        .testTarget(
            name: "LibraryServerTests",
            dependencies: [
                "Authorization",
                "DeviceIdentity",
                "LibraryAPI",
                "LibraryServer",
                "LibraryStore",
                "MediaFormats",
                "MediaSamples",
                "MediaWorker",
                "ObjectStorage",
                "ObjectStorageTestSupport",
                "Observability",
                "Persistence",
                "PhotoModel",
                "PostgreSQL",
                "PostgreSQLTestSupport",
                "Replication",
                "TestSupport",
                "hostile-worker",
                "tintype-media",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),

        // MARK: LibraryStore
        .target(
            name: "LibraryStore",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "ObjectStorage",
                "Persistence",
                "PhotoModel",
                "PostgreSQL",
                "Replication",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "LibraryStoreTests",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "LibraryStore",
                "LibraryStoreTestSupport",
                "ObjectStorage",
                "ObjectStorageTestSupport",
                "Persistence",
                "PersistenceTestSupport",
                "PhotoModel",
                "PostgreSQL",
                "PostgreSQLTestSupport",
                "Replication",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: MediaDecoding
        .target(
            name: "MediaDecoding",
            dependencies: [
                "CFFmpegDecoding",
                "CVips",
                "MediaFormats",
                "MediaWorker",
                "PhotoModel",
            ]
        ),
        .testTarget(
            name: "MediaDecodingTests",
            dependencies: [
                "CFFmpegDecoding",
                "MediaDecoding",
                "MediaFormats",
                "MediaSamples",
                "MediaWorker",
                "Persistence",
                "PhotoModel",
                "TestSupport",
                "tintype-media",
            ]
        ),

        // MARK: MediaEncoding
        .target(
            name: "MediaEncoding",
            dependencies: [
                "CFFmpeg",
                "CHEIF",
                "CTurboJPEG",
                "Capture",
                "MediaFormats",
                "Persistence",
                "PhotoModel",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(
            name: "MediaEncodingTests",
            dependencies: [
                "Capture",
                "CaptureLinux",
                "CaptureTestSupport",
                "MediaEncoding",
                "MediaFormats",
                "PhotoModel",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // MARK: MediaFiles
        .target(
            name: "MediaFiles",
            dependencies: [
                "CZlibDecoding",
                "Host",
                "LibraryAPI",
                "MediaFormats",
                "Persistence",
                "PhotoModel",
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "MediaFilesTests",
            dependencies: [
                "Host",
                "LibraryAPI",
                "MediaFiles",
                "MediaFormats",
                "MediaSamples",
                "Persistence",
                "PhotoModel",
                "TestSupport",
            ]
        ),

        // MARK: MediaFormats
        .target(
            name: "MediaFormats",
            dependencies: [
                "PhotoModel"
            ]
        ),
        .testTarget(
            name: "MediaFormatsTests",
            dependencies: [
                "MediaFormats",
                "MediaSamples",
                "PhotoModel",
                "TestSupport",
            ]
        ),

        .target(
            name: "MediaSamples",
            dependencies: [
                "MediaFormats",
                "PhotoModel",
            ],
            path: "Tests/MediaSamples"
        ),

        // MARK: MediaWorker
        .target(
            name: "MediaWorker",
            dependencies: [
                "CMediaWorker",
                "PhotoModel",
            ]
        ),
        .testTarget(
            name: "MediaWorkerTests",
            dependencies: [
                "MediaWorker",
                "Persistence",
                "PhotoModel",
                "TestSupport",
                "hostile-worker",
            ]
        ),
        .executableTarget(
            name: "hostile-worker",
            dependencies: [
                "CMediaWorker",
                "MediaWorker",
                "PhotoModel",
            ],
            path: "Tests/HostileWorker"
        ),

        // MARK: ObjectStorage
        .target(
            name: "ObjectStorage",
            dependencies: [
                "PhotoModel",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "ObjectStorage",
                "ObjectStorageTestSupport",
                "PhotoModel",
                "TestSupport",
            ]
        ),

        // MARK: Observability
        .target(
            name: "Observability",
            dependencies: [
                "PhotoModel",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "Observability",
                "PhotoModel",
                "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: Persistence
        .target(
            name: "Persistence",
            dependencies: [
                "CFileSystem",
                "PhotoModel",
                "Replication",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "PersistenceTests",
            dependencies: [
                "Persistence",
                "PersistenceTestSupport",
                "PhotoModel",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),

        // MARK: PhotoLibrary
        .target(
            name: "PhotoLibrary",
            dependencies: [
                "AgentStore",
                "Authorization",
                "BoxIdentity",
                "Host",
                "LibraryAPI",
                "LibraryClient",
                "MediaFormats",
                "Persistence",
                "PhotoModel",
                "Replication",
            ]
        ),
        .testTarget(
            name: "PhotoLibraryTests",
            dependencies: [
                "AgentStore",
                "Authorization",
                "LibraryAPI",
                "LibraryClient",
                "Persistence",
                "PhotoLibrary",
                "PhotoModel",
                "Replication",
                "TestSupport",
            ]
        ),

        // MARK: PhotoModel
        .target(
            name: "PhotoModel"
        ),
        .testTarget(
            name: "PhotoModelTests",
            dependencies: [
                "PhotoModel",
                "TestSupport",
            ]
        ),

        // MARK: PostgreSQL
        .target(
            name: "PostgreSQL",
            dependencies: [
                "CPostgreSQL",
                "Persistence",
            ]
        ),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: [
                "Persistence",
                "PostgreSQL",
                "PostgreSQLTestSupport",
                "TestSupport",
            ]
        ),

        // MARK: Replication
        .target(
            name: "Replication"
        ),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "Replication",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),

        // MARK: Settings
        .target(
            name: "Settings",
            dependencies: [
                .product(name: "Yams", package: "Yams")
            ]
        ),

        // MARK: SyncEngine
        .target(
            name: "SyncEngine",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "PhotoModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "PhotoModel",
                "Replication",
                "SyncEngine",
                "SyncSimulation",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: Terminal
        .target(
            name: "Terminal",
            dependencies: [
                "PhotoModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "PhotoModel",
                "Terminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // MARK: Test support
        .target(
            name: "LibraryLoad",
            dependencies: [
                "DeviceIdentity",
                "LibraryAPI",
                "LibraryClient",
                "Persistence",
                "PhotoModel",
                "Replication",
                "TestSupport",
            ],
            path: "Tests/LibraryLoad"
        ),
        .target(
            name: "ImmichTestSupport",
            dependencies: [
                "LibraryClient",
                "PhotoModel",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/ImmichTestSupport"
        ),
        .target(
            name: "LibraryStoreTestSupport",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "LibraryStore",
                "Persistence",
                "PhotoModel",
                "Replication",
                "TestSupport",
            ],
            path: "Tests/LibraryStoreTestSupport"
        ),
        .target(
            name: "ObjectStorageTestSupport",
            dependencies: [
                "ObjectStorage",
                "PhotoModel",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/ObjectStorageTestSupport"
        ),
        .target(
            name: "PersistenceTestSupport",
            dependencies: [
                "Persistence",
                "TestSupport",
            ],
            path: "Tests/PersistenceTestSupport"
        ),
        .target(
            name: "PostgreSQLTestSupport",
            dependencies: [
                "PostgreSQL",
                "TestSupport",
            ],
            path: "Tests/PostgreSQLTestSupport"
        ),
        .target(
            name: "SyncSimulation",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "PhotoModel",
                "Replication",
                "SyncEngine",
                "TestSupport",
            ],
            path: "Tests/SyncSimulation"
        ),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "SyncSimulation"
            ],
            path: "Tests/Simulate"
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "PhotoModel"
            ],
            path: "Tests/TestSupport"
        ),
        .testTarget(
            name: "TidyTests"
        ),

        // MARK: tintype-agent
        .executableTarget(
            name: "tintype-agent",
            dependencies: [
                "AgentCommands"
            ]
        ),

        // MARK: tintype-media
        .executableTarget(
            name: "tintype-media",
            dependencies: [
                "MediaDecoding",
                "MediaWorker",
            ]
        ),

        // MARK: tintype-server
        .executableTarget(
            name: "tintype-server",
            dependencies: [
                "Host",
                "LibraryServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // MARK: tintypectl
        .executableTarget(
            name: "tintypectl",
            dependencies: [
                "AdminCommands"
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The programs that people run, all in one build, without the targets that have a path of their own: tests, benchmarks and
// examples. SwiftPM builds one named product or everything.
if Context.environment["PROGRAMS_ONLY"] != nil { package.targets.removeAll { $0.type == .test || $0.path != nil } }

// Compiling each module whole takes less time from nothing, and more after an edit of one file: continuous integration asks
// for it. With more threads than one, each file keeps an object of its own.
let compilesWholeModules = Context.environment["WHOLE_MODULES"] != nil
let wholeModules: [SwiftSetting] = [
    .unsafeFlags(
        ["-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2"],
        .when(configuration: .debug)
    )
]
// Not where modules are compiled whole, as in optimized builds: a C struct such as `stat` then belongs to whichever C module
// was met first, and which one that is changes with the files.
let onlyFileByFile: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility", .when(configuration: .debug))]

// What every Swift target of ours is held to.
for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + (compilesWholeModules ? wholeModules : onlyFileByFile) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .strictMemorySafety(),
            .treatAllWarnings(as: .error),
        ]
}
