import KithModel

extension Network {
    /// Changes of the people of a view: first who is there (origin `state`), then each change once, after it can be read.
    ///
    /// Who leaves the view is told as removed, whatever the reason; who comes into it, as added. Once the first round has
    /// written everything, one signal says so: ``NetworkChanges/isPopulated``.
    ///
    /// A listener that falls ``KithClient/unreadChanges`` changes behind is ended. To go on, call `changes()` again.
    public func changes(in view: NetworkView = .network) -> AsyncStream<NetworkChanges> {
        client.signals {
            NetworkChanges(
                added: try NetworkContact.fetchAll($0, $1, in: view), origin: .state, isPopulated: $1.isPopulated)
        } each: { announcement in
            switch announcement {
            case .contacts(let differences):
                let changes = differences.changes(in: view)
                return changes.isEmpty ? nil : changes
            case .populated: return NetworkChanges(origin: .server, isPopulated: true)
            default: return nil
            }
        }
    }
}
