import Testing

/// No number of the wire is added without saying what keeps arithmetic on it from overflowing.
struct WireNumberTableTests {
    /// Decoding clamps it to a range.
    private static let clamped = """
        AssetCreation.length AssetCreation.offset BackupManifest.byteCount BackupManifest.contents
        Contact.deadLetters Contact.freeBytes Contact.holds Contact.queuedAssets Contact.queuedBytes
        Contact.refusedChanges ProblemDetails.expectedOffset ProblemDetails.providedOffset
        ProblemDetails.retryAfterSeconds
        """

    /// Decoding, or the route that takes it, refuses it beyond a range (`NumberAttackTests.numbers`).
    private static let refused = """
        AdminEnrollmentTokens.expiresSeconds AdminEnrollmentTokens.uses AdminOperators.days AdminQueries.after
        AdminQueries.limit AssetList.limit ChangeFeed.counter MaintenanceTask.count MaintenanceTask.index
        Picker.revision Picker.selectionLimit Places.columnCount RouteQueries.after RouteQueries.limit
        RouteQueries.ranges RouteQueries.size RouteQueries.wait UploadHeaders.length UploadHeaders.offset
        """

    /// Its one use clamps it, or looks for the overflow.
    private static let boundedInUse = """
        AssetManifest.durationMicroseconds Contact.intervalSeconds Identity.intervalSeconds
        LibraryIdentifiers.rawValue LibraryStatistics.clockAheadMilliseconds LibraryStatistics.freeBytes
        LibraryStatistics.reservedBytes
        MaintenanceTask.bytesPerSecond Picker.pollSeconds TransferProgress.byteCount TransferProgress.doneBytes
        """

    /// Of our own making: a client only compares or shows it, a server only counts it up.
    private static let compared = """
        AdminDevices.acknowledged AdminDevices.refusedCount AdminEnrollmentTokens.usesLeft AdminJobs.attempts
        AdminJobs.count AdminJobs.counts AdminJobs.priority AdminJobs.rawValue AdminJobs.workerDeaths
        ArchiveWire.byteCount ArchiveWire.fileCount ArchiveWire.missingCount ArchiveWire.preparedCount
        AssetList.assetCount AuditPage.next AuditWire.entryCount AuditWire.sequence AuditWire.signedHeadCount
        AuthorizationWire.count AuthorizationWire.grantVersion AuthorizationWire.rules BackupManifest.version
        BackupReport.copiedBytes BackupReport.copiedContents BackupReport.removedSnapshots
        CameraFacts.focalLengthIn35mm CameraFacts.isoSpeed ChangeFeed.acknowledged ChangeFeed.enumeration
        ChangeRange.count ConsentWire.number Contact.acknowledged Contact.consentWithdrawal Contact.counter
        Contact.grantVersion Draining.remainingCount LibraryStatistics.albums LibraryStatistics.assets
        LibraryStatistics.contentBytes LibraryStatistics.contents LibraryStatistics.devices LibraryStatistics.missing
        LibraryStatistics.quarantined LibraryStatistics.trashed LibraryStatistics.uploads Picker.byteCount Picker.count
        Places.count ProblemDetails.status Receipt.byteCount Timeline.count TransferProgress.contents
        TransferProgress.doneContents VerificationReport.checkedBytes VerificationReport.checkedContents
        """

    @Test("every number of LibraryAPI stands in one list here that says what bounds it")
    func numbers() throws {
        let typed =
            /\s*package (?:private\(set\) )?(?:var|let) (\w+): (?:\[\w+: )?U?Int(?:8|16|32|64)?\]?\??(?: = [^{]*)?/
        let counted = /\s*package (?:private\(set\) )?(?:var|let) (\w+) = -?\d+/
        var found: Set<String> = []
        var texts: [String: String] = [:]
        for file in try SourceTree().files where file.module == "LibraryAPI" {
            let name = file.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
            texts[String(name)] = file.lines.joined(separator: "\n")
            for line in file.lines {
                let match = line.wholeMatch(of: typed)?.1 ?? line.wholeMatch(of: counted)?.1
                if let match { found.insert("\(name).\(match)") }
            }
        }
        let lists = [Self.clamped, Self.refused, Self.boundedInUse, Self.compared].map { list in
            list.split { $0 == " " || $0 == "\n" }.map(String.init)
        }
        let listed = Set(lists.joined())
        #expect(listed.count == lists.joined().count, "one number stands in two lists")
        #expect(found.subtracting(listed).sorted() == [], "what bounds these numbers?")
        #expect(listed.subtracting(found).sorted() == [], "there are no such numbers")
        for name in lists[0] {
            let file = name.prefix { $0 != "." }
            #expect(texts[String(file)]?.contains(".clamped(to: ") == true, "decoding does not clamp \(name)")
        }
    }
}
