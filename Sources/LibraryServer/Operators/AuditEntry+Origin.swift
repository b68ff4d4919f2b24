import Authorization
import LibraryStore
import PhotoModel

extension AuditEntry.Content {
    /// An event that a request caused, with the request's origin.
    init(_ event: AuditEvent, by actor: String, _ context: AuditContext) {
        self.init(event, by: actor)
        fingerprint = context.fingerprint
        requestID = context.requestID
        address = context.address
    }

    /// An event that a device caused, about itself.
    init(_ event: AuditEvent, of device: DeviceID, _ context: AuditContext) {
        self.init(event, by: Actor.device(device).description, context)
        self.device = device.description
    }
}

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
