import Authorization
package import LibraryAPI
package import LibraryStore
package import Replication

extension MetadataStore {
    /// The judgement of a contact in which a device reports nothing.
    ///
    /// - Parameters:
    ///   - contact: the contact.
    ///   - ticket: the replica's ticket.
    ///   - number: the change up to which it has received removals, by its current grant; nil if it does not follow the
    ///     feed.
    ///   - caller: the device.
    /// - Returns: the judgement and the next ticket.
    /// - Throws: the refusal, or the database's error.
    package func contact(
        _ contact: Contact,
        ticket: String?,
        following number: ChangeNumber? = nil,
        by caller: StoreCaller
    ) async throws -> ContactJudgement {
        guard let id = caller.deviceID else { preconditionFailure("only devices make contact") }
        var position: ChangePosition?
        if let number {
            let version = try await device(id)?.record.grantVersion ?? 0
            position = ChangePosition(
                epoch: try await identity().epoch,
                viewVersion: version,
                number: number,
                floor: number
            )
        }
        return try await self.contact(contact, ticket: ticket, from: position, by: id) { _ in }.judgement
    }
}
