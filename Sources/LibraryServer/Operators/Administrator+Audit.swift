import Authorization
import LibraryStore
import PhotoModel

extension Devices.Administrator {
    /// The audit entry of this operator's act, about a device if it is about one.
    func audit(
        _ event: AuditEvent,
        _ new: String,
        _ reason: String?,
        of device: DeviceID? = nil
    ) -> AuditEntry.Content {
        var content = AuditEntry.Content(event, by: Actor.administrator(name).description, context)
        content.device = device?.description
        content.new = new
        content.reason = reason
        return content
    }
}
