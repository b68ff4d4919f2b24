// swift-tools-version: 6.2
import PackageDescription

// One section a target with its test target, alphabetical, one dependency a line.
// Imports point down only (docs/modules.md); Tests/TidyTests holds this file and the sources to it.

let package = Package(
    name: "tintype",
    products: [
        .library(name: "PhotoModel", targets: ["PhotoModel"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
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
                "MediaFormats",
                "MediaSamples",
                "PhotoModel",
                "Replication",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/Benchmarks",
            exclude: ["crdt_peers.py"]
        ),

        // MARK: LibraryAPI
        .target(
            name: "LibraryAPI",
            dependencies: [
                "PhotoModel"
            ]
        ),
        .testTarget(
            name: "LibraryAPITests",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "PhotoModel",
                "TestSupport",
            ]
        ),

        // MARK: LibraryStore
        .target(
            name: "LibraryStore",
            dependencies: [
                "Authorization",
                "LibraryAPI",
                "Persistence",
                "PhotoModel",
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
                "Persistence",
                "PersistenceTestSupport",
                "PhotoModel",
                "Replication",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
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

        // MARK: Persistence
        .target(
            name: "Persistence",
            dependencies: [
                "PhotoModel",
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

        // MARK: Test support
        .target(
            name: "PersistenceTestSupport",
            dependencies: [
                "Persistence",
                "TestSupport",
            ],
            path: "Tests/PersistenceTestSupport"
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
    ],
    swiftLanguageModes: [.v6]
)

// What every Swift target of ours is held to.
for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .strictMemorySafety(),
            .treatAllWarnings(as: .error),
        ]
}
