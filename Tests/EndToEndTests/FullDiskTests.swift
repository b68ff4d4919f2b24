import Foundation
import Glibc
import LibraryAPI
import LibraryClient
import LibraryLoad
import Persistence
import PhotoModel
import TestSupport
import Testing

/// A file system of its own in memory, small enough to be filled; making one needs the right to mount.
private final class SmallDisk {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")

    init(megabytes: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let options = "size=\(megabytes)m,mode=0700"
        let outcome = try ChildProcess.run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder.path])
        try #require(outcome.status == 0, "mounting needs root: \(outcome.errors)")
    }

    deinit {
        _ = unsafe umount2(folder.path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(at: folder)
    }

    private var ballast: String { folder.appending(path: "ballast").path }

    /// Takes all room but so many bytes.
    func fill(leaving byteCount: Int) throws {
        let descriptor = unsafe open(ballast, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var size = 0
        let block = [UInt8](repeating: 0, count: 64 << 10)
        for step in [64 << 10, 4 << 10] {
            while unsafe write(descriptor, block, step) == step { size += step }
        }
        try #require(ftruncate(descriptor, off_t(max(0, size - byteCount))) == 0)
    }

    /// Gives the room back.
    func empty() { _ = unsafe unlink(ballast) }
}

@Suite(.serialized)
struct FullDiskTests {
    private static var isPrivileged: Bool { geteuid() == 0 }
    private let executable = Bundle.main.bundleURL.appending(path: "tintype-server")

    @Test(
        "Promise 14: a disk that fills up at any step of a save is told as 507, loses nothing, and needs no repair",
        .enabled(if: isPrivileged, "mounting a small disk needs root; LibraryStoreTests fills a simulated one")
    )
    func fullDisk() async throws {
        let disk = try SmallDisk(megabytes: 48)
        let library = disk.folder.appending(path: "library")
        let server = try ServerProgram(executable, library: library, settings: ["library.reservedMebibytes=0"])
        try server.start()
        let device = try await LoadDevice.enroll(at: server)
        var generator = SeededGenerator(seed: 14)
        var saved: [SampleCapture] = []
        var refusals = 0
        for room in [0, 4, 32, 80, 200, 300, 480, 640, 760, 850, 1000, 1500] {
            let capture = try SampleCapture(sizes: [300 << 10, 500 << 10], &generator)
            try disk.fill(leaving: room << 10)
            if let error = try await save(capture, by: device) {
                #expect(error.code == .refused(.storageFull), "\(room) KiB were left: \(error)")
                #expect(error.problem?.status == 507)
                refusals += 1
            }
            for earlier in saved { try await expectWhole(earlier, device) }
            disk.empty()
            let problem = try await save(capture, by: device)
            #expect(problem == nil, "\(room) KiB had been left: \(String(describing: problem))")
            try await expectWhole(capture, device)
            saved.append(capture)
        }
        #expect(refusals >= 8)
        let report = try await server.operators().verify(.init(isHashing: true, isRepairing: false))
        #expect(report.findings == [])
        #expect(report.checkedContents == 2 * saved.count)
        #expect(try await device.assets().count == saved.count)
    }

    @Test("Promise 14: below the reserve a save is refused before a byte is sent, and the library stays as it is")
    func reserve() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        // More than any disk has.
        let server = try ServerProgram(executable, library: folder, settings: ["library.reservedMebibytes=1000000000"])
        try server.start()
        let device = try await LoadDevice.enroll(at: server)
        var generator = SeededGenerator(seed: 1)
        let capture = try SampleCapture(sizes: [1000], &generator)
        #expect(try await save(capture, by: device)?.code == .refused(.storageFull))
        await #expect(throws: LibraryClientError.self) { try await device.client.batch([capture.batchItem]) }
        #expect(try await device.assets() == [])
    }

    /// Saves an asset as far as it goes; gives what stopped it.
    private func save(_ capture: SampleCapture, by device: LoadDevice) async throws -> LibraryClientError? {
        do {
            let created = try await device.client.createAsset(capture.manifest)
            for (status, content) in zip(created.uploads, capture.contents) where !status.isComplete {
                _ = try await device.client.append(
                    to: status.id,
                    at: status.offset,
                    content.source(from: status.offset),
                    isLast: true,
                    digest: content.digest(from: status.offset)
                )
            }
            _ = try await device.client.commit(capture.manifest.id)
            return nil
        } catch let error as LibraryClientError {
            return error
        }
    }

    private func expectWhole(_ capture: SampleCapture, _ device: LoadDevice) async throws {
        for resource in capture.manifest.resources {
            let bytes = try await device.bytes(of: resource.id, in: capture.manifest.id)
            #expect(ContentHasher.digest(bytes) == resource.digest)
        }
    }
}
