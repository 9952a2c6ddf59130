public import Foundation
import Synchronization

/// Reports changes to listeners: each change once, in the order of the commits.
///
/// Changes are announced on the writer's queue right after each commit, and listeners are added on the same queue.
/// Therefore a listener that is added later receives the state and then every later change, without gaps or repeats.
package final class ChangeHub: Sendable {
    private struct State {
        var next = 0
        var listeners: [Int: @Sendable (Announcement) -> Void] = [:]
        var sessionListeners: [Int: @Sendable (SessionChange) -> Void] = [:]
        /// The object of the notifications.
        weak var sender: (any AnyObject & Sendable)?
    }

    private let state = Mutex(State())
    let postsNotifications: Bool

    init(postsNotifications: Bool) {
        self.postsNotifications = postsNotifications
    }

    /// Whether anybody receives the changes.
    package var hasObservers: Bool { postsNotifications || state.withLock { !$0.listeners.isEmpty } }

    /// - Important: Call this on the writer's queue.
    package func listen(_ listener: @escaping @Sendable (Announcement) -> Void) -> Int {
        state.withLock {
            $0.next += 1
            $0.listeners[$0.next] = listener
            return $0.next
        }
    }

    /// Adds a listener for changes of the session. It gets each change once, in the order of the commits.
    ///
    /// - Important: Call this on the writer's queue, or before the first write.
    func listenToSession(_ listener: @escaping @Sendable (SessionChange) -> Void) -> Int {
        state.withLock {
            $0.next += 1
            $0.sessionListeners[$0.next] = listener
            return $0.next
        }
    }

    /// - Important: Call this on the writer's queue, after the commit.
    func announce(_ change: SessionChange) {
        let listeners = state.withLock { $0.sessionListeners.sorted { $0.key < $1.key }.map(\.value) }
        for listener in listeners { listener(change) }
    }

    /// Sets the object of the notifications: the client. It is not retained.
    func setSender(_ sender: any AnyObject & Sendable) { state.withLock { $0.sender = sender } }

    func leave(_ id: Int) {
        state.withLock {
            $0.listeners[id] = nil
            $0.sessionListeners[id] = nil
        }
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
        let sender = state.withLock { $0.sender }
        switch announcement {
        case .changes(let changes):
            guard let (name, changed) = changes.notification else { return }
            NotificationCenter.default.post(name: name, object: sender, userInfo: ["changed": changed])
        case .populated: NotificationCenter.default.post(name: .kithPopulated, object: sender)
        }
    }
}

extension Notification.Name {
    /// The first round of the current account has written everything that the server had.
    public static let kithPopulated = Notification.Name("KithPopulated")
}
