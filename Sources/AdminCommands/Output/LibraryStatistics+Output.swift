import LibraryAPI

extension LibraryStatistics {
    /// The number of changes that the last backup lacks; nil without a backup.
    var changesSinceBackup: Int? {
        backupWatermark.map { mark in
            let (difference, overflow) = lastChange.rawValue.subtractingReportingOverflow(mark.rawValue)
            guard !overflow else { return lastChange > mark ? .max : 0 }
            return Int(max(difference, 0))
        }
    }
}
