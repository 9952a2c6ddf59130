public import Foundation
import KithModel
import Synchronization

/// Reports changes to the listeners: each change once, in the order of the commits.
///
/// Changes are announced on the writer's queue right after each commit, and listeners are added on the same queue. So a
/// late listener receives the state and then every later change, without a gap or a repeat.
package final class ChangeHub: Sendable {
    private struct State {
        var next = 0
        var listeners: [Int: @Sendable (Announcement) -> Void] = [:]
    }

    private let state = Mutex(State())
    let postsNotifications: Bool

    init(postsNotifications: Bool) {
        self.postsNotifications = postsNotifications
    }

    /// Whether a change would reach anyone.
    var isHeard: Bool { postsNotifications || state.withLock { !$0.listeners.isEmpty } }

    /// - Important: Call this on the writer's queue.
    package func listen(_ listener: @escaping @Sendable (Announcement) -> Void) -> Int {
        state.withLock {
            $0.next += 1
            $0.listeners[$0.next] = listener
            return $0.next
        }
    }

    func leave(_ id: Int) {
        state.withLock { $0.listeners[id] = nil }
    }

    /// - Important: Call this on the writer's queue, after the commit.
    func announce(_ announcements: [Announcement]) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key }.map(\.value) }
        for announcement in announcements {
            for listener in listeners { listener(announcement) }
            if postsNotifications { post(announcement) }
        }
    }

    private func post(_ announcement: Announcement) {
        switch announcement {
        case .lists(let changed): NotificationCenter.default.post(.kithListsChanged, changed)
        case .items(let changed): NotificationCenter.default.post(.kithItemsChanged, changed)
        case .members(let changed): NotificationCenter.default.post(.kithMembersChanged, changed)
        case .contacts(let differences):
            let changes = differences.changes(in: .everyone)
            if !changes.isEmpty { NotificationCenter.default.post(.kithNetworkChanged, changes) }
        case .populated: NotificationCenter.default.post(name: .kithPopulated, object: nil)
        }
    }
}

extension Notification.Name {
    /// Lists have changed; `userInfo["changed"]` is a `Changed<SharedList>`.
    public static let kithListsChanged = Notification.Name("KithListsChanged")
    /// Items have changed; `userInfo["changed"]` is a `Changed<ListItem>`.
    public static let kithItemsChanged = Notification.Name("KithItemsChanged")
    /// The people of lists have changed; `userInfo["changed"]` is a `Changed<Member>`.
    public static let kithMembersChanged = Notification.Name("KithMembersChanged")
    /// Contacts have changed; `userInfo["changed"]` is the ``NetworkChanges`` in the view `everyone`.
    public static let kithNetworkChanged = Notification.Name("KithNetworkChanged")
    /// The first round of the current account has written everything that the server had.
    public static let kithPopulated = Notification.Name("KithPopulated")
}

extension NotificationCenter {
    fileprivate func post(_ name: Notification.Name, _ changed: some Sendable) {
        post(name: name, object: nil, userInfo: ["changed": changed])
    }
}
