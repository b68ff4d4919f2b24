import Authorization
import PhotoModel
import Synchronization

/// Caches the last requested device's record, since a batch requests the same device many times.
///
/// The row is read and compared each time, so that a decision takes effect with its transaction.
final class LatestRecord: Sendable {
    private let latest = Mutex<(text: String, record: DecisionRecord)?>(nil)

    /// A device's record; nil if unknown.
    func record(of id: DeviceID, _ database: any SQLSession) throws -> DecisionRecord? {
        guard let text = try DeviceTable.recordText(of: id, database) else { return nil }
        if let latest = latest.withLock(\.self), latest.text == text { return latest.record }
        let record: DecisionRecord = try JSONColumn.decode(text)
        latest.withLock { $0 = (text, record) }
        return record
    }
}
