extension Schema {
    /// Checks that a change follows its field's rule; unknown fields and kinds pass.
    ///
    /// - Throws: `.serverOnly` for what devices may not do, `.ruleViolated` for what nobody may.
    package func admit(_ change: Change, isFromServer: Bool) throws(ReplicationError) {
        if change.field == .purge, !isFromServer {
            throw ReplicationError(.serverOnly, "Only the server purges")
        }
        guard let field = field(change.field, of: change.entity.kind) else { return }
        switch field.rule {
        case .growOnlyMap:
            guard change.value != nil, change.superseded.isEmpty else {
                throw ReplicationError(.ruleViolated, "A grow-only map loses no entries", subject: field.name)
            }
        case .latest:
            guard change.value != nil || isFromServer else {
                throw ReplicationError(.serverOnly, "Only the server retires values of a register", subject: field.name)
            }
        case .tombstone, .purge:
            guard change.value != nil else {
                throw ReplicationError(.ruleViolated, "A deletion cannot be undone by a removal", subject: field.name)
            }
        case .addWinsSet, .presence:
            break
        }
    }
}
