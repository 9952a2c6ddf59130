import GRDB
public import KithModel

extension Lists {
    // MARK: Signals

    /// Changes of my lists: first the current lists (origin `state`), then each change once, after it can be read.
    ///
    /// Once the first round has written everything, one signal has ``Changed/isPopulated`` set. A listener that falls
    /// ``KithClient/unreadChanges`` changes behind is ended. To go on, call `changes()` again.
    public func changes() -> AsyncStream<Changed<SharedList>> {
        client.signals {
            Changed(added: try SharedList.fetchAll($0, $1.key), origin: .state, isPopulated: $1.isPopulated)
        } each: {
            $0 == .populated ? .populated : $0.lists
        }
    }

    /// Changes of the items in all my lists. If a list is removed, its items are not reported.
    public func itemChanges() -> AsyncStream<Changed<ListItem>> {
        client.signals {
            Changed(added: try ListItem.fetchShown($0, $1.key), origin: .state, isPopulated: $1.isPopulated)
        } each: {
            $0 == .populated ? .populated : $0.items
        }
    }

    /// Changes of the people in my lists.
    public func memberChanges() -> AsyncStream<Changed<Member>> {
        client.signals {
            Changed(added: try Member.fetchAll($0, $1.key), origin: .state, isPopulated: $1.isPopulated)
        } each: {
            $0 == .populated ? .populated : $0.members
        }
    }

    // MARK: Live queries

    /// My lists, now and after each change. The stream ends if the replica cannot be read; any getter then throws the
    /// reason.
    public func live() -> AsyncStream<[SharedList]> {
        client.live { try SharedList.fetchAll($0, $1.key) }
    }

    /// The items of a list, now and after each change. The stream ends if the replica cannot be read; any getter then
    /// throws the reason.
    ///
    /// ```swift
    /// for await items in client.lists.liveItems(in: groceries.id) { show(items) }
    /// ```
    public func liveItems(in list: ListID) -> AsyncStream<[ListItem]> {
        client.live { try ListItem.fetchAll($0, $1.key, in: list) }
    }
}
