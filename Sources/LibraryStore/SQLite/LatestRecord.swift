import Authorization
import GRDB
import PhotoModel
import Synchronization

/// Remembers what the row of the device says that was asked for last, since a batch asks for one device many times.
///
/// The row is read each time and compared, so that a decision counts from its transaction on.
final class LatestRecord: Sendable {
    private let latest = Mutex<(text: String, record: DecisionRecord)?>(nil)

    /// What is decided of a device; nil when it is not known.
    func record(of id: DeviceID, _ database: Database) throws -> DecisionRecord? {
        guard let text = try DeviceTable.recordText(of: id, database) else { return nil }
        if let latest = latest.withLock(\.self), latest.text == text { return latest.record }
        let record: DecisionRecord = try JSONColumn.decode(text)
        latest.withLock { $0 = (text, record) }
        return record
    }
}
