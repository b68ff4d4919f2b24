import Host
import MediaFormats
import Persistence
import PhotoModel

extension MediaCollection {
    /// The top folder of every Takeout.
    private static let takeoutRoot = Array("Takeout/".utf8)
    /// What macOS adds to archives.
    private static let foreignRoot = Array("__MACOSX".utf8)

    /// Collects the files of a ZIP archive as if from a folder, or returns false if it is not one; unless a person
    /// named it, only a Takeout is read.
    mutating func addArchive(_ file: NamedFile, isNamed: Bool) -> Bool {
        guard let archives, file.ending == "zip" else { return false }
        let archive: ArchiveFileSystem.Archive
        do {
            archive = try archives.archive(file.path)
        } catch {
            if isNamed { failed.append(Remark(path: file.displayPath, reason: "\(error)")) }
            return isNamed
        }
        guard isNamed || archive.entries.contains(where: { $0.name.starts(with: Self.takeoutRoot) }) else {
            return false
        }
        archives.add(archive)
        var folders: [[FileName]: [NamedFile]] = [:]
        for (index, entry) in archive.entries.enumerated() where !entry.isFolder {
            let parts = entry.name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let path = parts.compactMap { FileName(bytes: $0) }
            guard path.count == parts.count, path.count <= Self.maximumDepth, let name = path.last else {
                failed.append(
                    Remark(path: "\(file.displayPath)/\(shown(entry.name))", reason: "no file can have this path")
                )
                continue
            }
            if path.contains(where: isLeftOut) { continue }
            let named = NamedFile(
                name,
                entry,
                index,
                in: archive.path,
                displayPath: "\(file.displayPath)/\(shown(entry.name))"
            )
            folders[Array(path.dropLast()), default: []].append(named)
        }
        for (folder, files) in folders.sorted(by: { Self.text($0.key) < Self.text($1.key) }) where !isStopped {
            let place = FolderListing.Place(archive.path, displayPath: "\(file.displayPath)/\(Self.text(folder))")
            let files = files.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
            add(files, in: place, named: folder.last, Surroundings())
        }
        return true
    }

    /// Hidden files, and other programs' private ones.
    private func isLeftOut(_ name: FileName) -> Bool {
        name.bytes.first == UInt8(ascii: ".") || name.bytes == Self.foreignRoot
            || Self.isForeign(name.displayText)
    }

    private func shown(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    private static func text(_ folder: [FileName]) -> String { folder.map(\.displayText).joined(separator: "/") }
}

extension NamedFile {
    /// A file of an archive.
    fileprivate init(
        _ name: FileName,
        _ entry: ZIPDirectory.Entry,
        _ index: Int,
        in archive: Path,
        displayPath: String
    ) {
        self.init(
            name,
            at: ArchiveFileSystem.path(of: index, in: archive),
            displayPath: displayPath,
            facts: Facts(
                byteCount: entry.byteCount,
                modifiedSeconds: entry.modifiedSeconds ?? Self.seconds(entry.civilTime.date, entry.civilTime.time)
            )
        )
    }

    /// Seconds since 1970 of an MS-DOS date and time, in the packing machine's local time, taken to be this machine's.
    private static func seconds(_ date: UInt16, _ time: UInt16) -> Int64 {
        let civil = CivilTime(
            year: 1980 + Int(date >> 9),
            month: Int(date >> 5 & 15),
            day: Int(date & 31),
            hour: Int(time >> 11),
            minute: Int(time >> 5 & 63),
            second: Int(time & 31) * 2
        )
        guard let civil else { return 0 }
        let offset = HostClock.utcOffsetSeconds(at: civil.instant(assumingUTCOffsetSeconds: 0))
        return civil.instant(assumingUTCOffsetSeconds: offset).microsecondsSince1970 / 1_000_000
    }
}
