package import Foundation
package import KithModel

/// The changes of contacts in all views, before they are filtered for each observer.
package struct ContactDifferences: ReportedChanges {
    /// One contact before and after a change; nil if there is no record of it.
    package struct Difference: Hashable, Sendable {
        package let before: NetworkContact?
        package let after: NetworkContact?
        /// Parts that changed without a difference between the two states, such as presence.
        var keys: Set<NetworkContact.Key> = []
    }

    package let all: [Difference]
    package let origin: ChangeOrigin
    /// The account before the change.
    var meBefore: AccountID?
    /// The account after the change.
    var meAfter: AccountID?

    package var isEmpty: Bool { all.isEmpty }

    package var notification: (name: Notification.Name, changed: any Sendable)? {
        let changes = changes(in: .everyone)
        return changes.isEmpty ? nil : (.kithNetworkChanged, changes)
    }

    /// The differences between two readings of all contacts.
    static func between(
        _ before: [NetworkContact], _ after: [NetworkContact], origin: ChangeOrigin,
        me: (before: AccountID?, after: AccountID?)
    ) -> Self {
        let differences = Kith.Difference.all(before, after) { .contact($0.id) }
        return ContactDifferences(
            all: differences.map { Difference(before: $0.before, after: $0.after) }, origin: origin,
            meBefore: me.before, meAfter: me.after)
    }

    /// The changes that an observer of `view` receives.
    package func changes(in view: NetworkView) -> NetworkChanges {
        var changes = NetworkChanges(origin: origin)
        for one in all {
            let before = one.before.flatMap { view.shows($0, to: meBefore) ? $0 : nil }
            let after = one.after.flatMap { view.shows($0, to: meAfter) ? $0 : nil }
            switch (before, after) {
            case (nil, let after?): changes.added.append(after)
            case (let before?, nil): changes.removed.append(before)
            case (let before?, let after?):
                let keys = one.keys.union(NetworkContact.differing(before, after))
                if !keys.isEmpty { changes.updated.append(.init(contact: after, keys: keys)) }
            case (nil, nil): break
            }
        }
        return changes
    }
}
