import LibraryAPI
import LibraryClient
package import PhotoModel
package import TestSupport

/// Uploads large files by several devices at once, and tells what the server's process held meanwhile.
package struct MemoryLoad {
    /// What the server held and used.
    package struct Outcome: Sendable {
        /// Resident bytes before the load, after the devices had enrolled.
        package let idleByteCount: Int64
        /// The most resident bytes until its end.
        package let peakByteCount: Int64
        /// CPU time of the server for the load.
        package let processorTime: Duration
        /// How long the load took.
        package let duration: Duration
        /// The assets that were receipted.
        package let assets: [AssetID]
    }

    private let server: ServerProgram
    private let devices: [LoadDevice]

    /// Enrols the devices.
    ///
    /// - Parameters:
    ///   - server: a running server.
    ///   - deviceCount: devices at once.
    /// - Throws: what the library says.
    package init(at server: ServerProgram, deviceCount: Int) async throws {
        self.server = server
        var devices: [LoadDevice] = []
        for _ in 0..<deviceCount { devices.append(try await LoadDevice.enroll(at: server)) }
        self.devices = devices
    }

    /// Uploads one file of so many bytes from every device, each in one request.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of each file.
    ///   - generator: decides the bytes.
    /// - Returns: what the server held.
    /// - Throws: what the library says.
    package func run(byteCount: Int64, _ generator: inout SeededGenerator) async throws -> Outcome {
        let captures = try devices.map { _ in try SampleCapture(sizes: [byteCount], &generator) }
        let before = try usage()
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingTaskGroup { group in
            for (device, capture) in zip(devices, captures) {
                group.addTask {
                    for upload in try await device.client.createAsset(capture.manifest).uploads {
                        let source = capture.contents[0].source()
                        _ = try await device.appendWithoutDigest(to: upload.id, at: 0, source, isLast: true)
                    }
                    _ = try await device.client.commit(capture.manifest.id)
                }
            }
            try await group.waitForAll()
        }
        let duration = clock.now - start
        let after = try usage()
        return Outcome(
            idleByteCount: before.residentByteCount,
            peakByteCount: after.peakByteCount,
            processorTime: after.processorTime - before.processorTime,
            duration: duration,
            assets: captures.map(\.manifest.id)
        )
    }

    private func usage() throws -> ProcessUsage {
        guard let usage = server.processIdentifier.flatMap({ ProcessUsage(of: $0) }) else {
            throw LoadError("the server's process is gone")
        }
        return usage
    }
}
