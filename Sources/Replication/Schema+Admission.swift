extension Schema {
    /// Judges whether a change keeps to the rule of its field; one of an unknown field or kind is let through.
    ///
    /// - Parameters:
    ///   - change: what a replica sent.
    ///   - isFromServer: whether the server itself made it.
    /// - Throws: `.serverOnly` for what a device may not do, `.ruleViolated` for what nobody may.
    package func admit(_ change: Change, isFromServer: Bool) throws(ReplicationError) {
        if change.field == .purge, !isFromServer {
            throw ReplicationError(.serverOnly, "Only the server purges")
        }
        guard let field = field(change.field, of: change.entity.kind) else { return }
        switch field.rule {
        case .growOnlyMap:
            guard change.value != nil, change.superseded.isEmpty else {
                throw ReplicationError(.ruleViolated, "Nothing is removed from a grow-only map", subject: field.name)
            }
        case .latest:
            guard change.value != nil || isFromServer else {
                throw ReplicationError(.serverOnly, "Only the server retires values of a register", subject: field.name)
            }
        case .tombstone, .purge:
            guard change.value != nil else {
                throw ReplicationError(.ruleViolated, "A deletion is not taken back by removal", subject: field.name)
            }
        case .addWinsSet, .presence:
            break
        }
    }
}
