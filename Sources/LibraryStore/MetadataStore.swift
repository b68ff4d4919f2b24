/// Where everything but bytes lies: assets, albums, uploads, receipts, devices, decisions and the audit.
///
/// One store adopts all roles; a caller takes the roles that it needs. Each call is one transaction or one consistent
/// read. Calls that change something take the caller, whose gate is asked inside the transaction. Nothing above this port
/// may know which database is used.
///
/// Identifiers come first among the parameters: Swift 6.3.1 on x86-64 crashes where an asynchronous call through a
/// protocol passes 128 bits on the stack.
package protocol MetadataStore: SavingStore, ReadingStore, EditingStore, DeviceStore, RecordStore, UpkeepStore,
    MediaJobStore
{
    /// How the library's servers divide what only one needs to do.
    var duties: any LibraryDuties { get }
    /// How the library's servers tell each other what happened.
    var signals: any LibrarySignals { get }
}
