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
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
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
                "Capture",
                "CaptureLinux",
                "MediaEncoding",
                "MediaFormats",
                "MediaSamples",
                "PhotoModel",
                "Replication",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Benchmarks",
            exclude: ["crdt_peers.py"]
        ),

        // MARK: Camera tests
        .executableTarget(
            name: "camera-vm-tests",
            dependencies: [
                "Capture",
                "CaptureLinux",
                "MediaEncoding",
                "MediaFormats",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/CameraVM/Program"
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
        .testTarget(
            name: "CaptureTests",
            dependencies: [
                "Capture",
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
                "CVideo4Linux",
                "Capture",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(
            name: "CaptureLinuxTests",
            dependencies: [
                "Capture",
                "CaptureLinux",
                "PhotoModel",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // MARK: CFFmpeg
        .systemLibrary(
            name: "CFFmpeg",
            pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev"])]
        ),

        // MARK: CTurboJPEG
        .systemLibrary(
            name: "CTurboJPEG",
            pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]
        ),

        // MARK: CVideo4Linux
        .systemLibrary(
            name: "CVideo4Linux"
        ),

        // MARK: MediaEncoding
        .target(
            name: "MediaEncoding",
            dependencies: [
                "CFFmpeg",
                "CTurboJPEG",
                "Capture",
                "MediaFormats",
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
                "MediaEncoding",
                "MediaFormats",
                "PhotoModel",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
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
            name: "TestSupport",
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
