/// Stores everything except bytes: assets, albums, uploads, receipts, devices, decisions and the audit.
///
/// One store adopts all roles; a caller uses the roles it needs. Each call is one transaction or one consistent read.
/// Calls that change something take the caller, whose gate runs inside the transaction. Code above this port must not
/// depend on the database.
///
/// Identifiers come first among the parameters: Swift 6.3.1 on x86-64 crashes when an asynchronous call through a
/// protocol passes 128 bits on the stack.
package protocol MetadataStore: SavingStore, ReadingStore, EditingStore, DeviceStore, RecordStore, UpkeepStore,
    MediaJobStore
{
    /// Divides work that only one server needs to do among the library's servers.
    var duties: any LibraryDuties { get }
    /// Notifies the library's other servers.
    var signals: any LibrarySignals { get }
}
