package import KithModel
import Synchronization

/// Tells the open pages of public links that their lists have changed.
///
/// A page is told only that something has changed, and fetches itself again. Unlike ``LiveHub``, these streams also hear of
/// gifts, of which the devices of the people in the list hear nothing. Call ``changed(_:)`` only after the commit.
package final class ListStreams: Sendable {
    private struct Listener {
        let list: FeedID
        let address: IPAddress
        let bell: StreamBell
        var isChanged = false
        var isEnd = false
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var byList: [FeedID: Set<Int>] = [:]
        var share: FairShare<IPAddress>
        var last = 0
        var isClosed = false
    }

    private let state: Mutex<State>
    /// Called when a stream has ended.
    private let whenRemoved: @Sendable () -> Void

    /// Streams of pages, of which there are none at first.
    ///
    /// - Parameters:
    ///   - atOnce: The maximum number of streams.
    ///   - ofAddress: The maximum number of streams of one address.
    ///   - whenRemoved: Called when a stream has ended.
    package init(atOnce: Int = 2_000, ofAddress: Int = 32, whenRemoved: @escaping @Sendable () -> Void = {}) {
        self.whenRemoved = whenRemoved
        state = Mutex(State(share: FairShare(total: atOnce, each: ofAddress)))
    }

    /// The number of open streams.
    package var count: Int { state.withLock { $0.listeners.count } }

    /// Opens a stream that hears of the changes of `list`.
    package func open(_ list: FeedID, from address: IPAddress) throws(ServerError) -> ListStream {
        let bell = StreamBell()
        let limitedAddress = address.limitedAddress
        let opened: Result<Int, ServerError> = state.withLock { state in
            if state.isClosed { return .failure(.closing) }
            guard state.share.take(by: limitedAddress) else { return .failure(.crowded) }
            state.last += 1
            state.listeners[state.last] = Listener(list: list, address: limitedAddress, bell: bell)
            state.byList[list, default: []].insert(state.last)
            return .success(state.last)
        }
        return ListStream(id: try opened.get(), bell: bell, streams: self)
    }

    /// Tells the pages of these lists that something has changed: the list, a gift, or whether a link can be used.
    package func changed(_ lists: Set<FeedID>) {
        if lists.isEmpty { return }
        ring { state in
            let ids = lists.flatMap { state.byList[$0] ?? [] }
            for id in ids { state.listeners[id]?.isChanged = true }
            return ids
        }
    }

    /// Tells every page that something may have changed, because signals were lost.
    package func allChanged() {
        ring { state in
            for id in state.listeners.keys { state.listeners[id]?.isChanged = true }
            return Array(state.listeners.keys)
        }
    }

    /// Makes every stream check its link.
    package func check() { ring { Array($0.listeners.keys) } }

    /// Ends every stream. No more streams are opened.
    package func close() {
        ring { state in
            state.isClosed = true
            for id in state.listeners.keys { state.listeners[id]?.isEnd = true }
            return Array(state.listeners.keys)
        }
    }

    func end(_ id: Int) {
        ring { state in
            state.listeners[id]?.isEnd = true
            return [id]
        }
    }

    func take(_ id: Int) -> ListStream.News? {
        state.withLock { state in
            guard let listener = state.listeners[id], !listener.isEnd else { return nil }
            state.listeners[id]?.isChanged = false
            return listener.isChanged ? .changed : .nothing
        }
    }

    func remove(_ id: Int) {
        state.withLock { state in
            guard let listener = state.listeners.removeValue(forKey: id) else { return }
            state.share.giveBack(by: listener.address)
            state.byList[listener.list]?.remove(id)
            if state.byList[listener.list]?.isEmpty == true { state.byList[listener.list] = nil }
        }
        whenRemoved()
    }

    /// Changes the state, and rings the bells of the streams that have news.
    private func ring(_ change: (inout State) -> [Int]) {
        let bells = state.withLock { state in change(&state).compactMap { state.listeners[$0]?.bell } }
        for bell in bells { bell.ring() }
    }
}
