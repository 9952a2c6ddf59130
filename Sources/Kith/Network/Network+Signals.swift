import KithModel

extension Network {
    /// Changes of the people of a view: first who is there (origin `state`), then each change once, after it can be read.
    ///
    /// Who leaves the view is told as removed, whatever the reason; who comes into it, as added.
    ///
    /// A listener that falls ``KithClient/unreadChanges`` changes behind is ended. To go on, call `changes()` again.
    public func changes(in view: NetworkView = .network) -> AsyncStream<NetworkChanges> {
        client.signals {
            NetworkChanges(added: try NetworkContact.fetchAll($0, $1, in: view), origin: .state)
        } each: { announcement in
            guard case .contacts(let differences) = announcement else { return nil }
            let changes = differences.changes(in: view)
            return changes.isEmpty ? nil : changes
        }
    }
}
