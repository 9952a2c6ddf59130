import Foundation
import KithModel
import Synchronization

/// Presence on the live stream: keeps the reports about other people, and sends this device's own state.
final class PresenceKeeper: LiveListener {
    private struct State {
        var own = OwnPresence()
        var board = PresenceBoard()
    }

    private let replica: Replica
    private let credentials: any CredentialStore
    private let server: CheckedServer
    private let state = Mutex(State())
    /// Allows one presence request at a time.
    private let lock = AsyncLock()

    init(_ replica: Replica, _ credentials: any CredentialStore, at server: CheckedServer) {
        (self.replica, self.credentials, self.server) = (replica, credentials, server)
    }

    var wantedPresence: Presence.State? { state.withLock(\.own.wanted) }

    /// Notes that a stream was opened with the state `shown`. If the app has set another state since, sends that now.
    func begin(as shown: Presence.State?, on device: DeviceID) {
        state.withLock { state in
            state.board.begin(device)
            state.own.sent = shown
        }
        // The send runs in its own task, so that the stream is read meanwhile. If this request fails, the stream breaks
        // as well, and the next stream sends the state.
        if wantedPresence != shown { Task { try await sendOwn() } }
    }

    func hear(_ event: ServerEvent, on device: DeviceID) async {
        guard let news = try? JSONDecoder().decode(PresenceEvent.self, from: Data(event.data.utf8)) else { return }
        await replica.announcePresence(of: state.withLock { $0.board.apply(news, from: device) })
    }

    func end(on device: DeviceID) async {
        let gone = state.withLock { state in
            if state.board.device == device { state.own.sent = nil }
            return state.board.end(device)
        }
        await replica.announcePresence(of: gone)
    }

    /// The presence of an account, if the stream of `device` has reported it.
    func presence(of account: AccountID, on device: DeviceID) -> Presence? {
        state.withLock { $0.board.device == device ? $0.board.presence(of: account) : nil }
    }

    /// The accounts that are not offline, as far as the stream of `device` has reported them.
    func present(on device: DeviceID) -> [AccountID: Presence] {
        state.withLock { $0.board.device == device ? $0.board.present : [:] }
    }

    /// Sets the state that this device shows, and sends it if a stream is open.
    func show(_ wanted: Presence.State) async throws {
        state.withLock { $0.own.wanted = wanted }
        try await sendOwn()
    }

    /// Sends this device's state to the server, if the open stream last sent another one.
    private func sendOwn() async throws {
        try await lock.withLock {
            let next = state.withLock { state -> (DeviceID, Presence.State)? in
                guard let device = state.board.device, let wanted = state.own.wanted, wanted != state.own.sent else {
                    return nil
                }
                return (device, wanted)
            }
            guard let (device, shown) = next, let connection = server.connection else { return }
            let account = try await replica.read { $0.account }
            guard account.device == device, let id = account.id, let token = try credentials.token(for: id) else {
                return
            }
            do {
                try await server.checkServer(of: account)
                try await connection.with(token: token).setPresence(shown, of: device)
            } catch let error as KithError where error.code == .offline || error.code == .refused {
                // The stream has ended or is about to end. The next one sends the state.
                return
            }
            state.withLock { if $0.board.device == device { $0.own.sent = shown } }
        }
    }
}

extension SessionConnection {
    func presence(of account: AccountID) async throws -> Presence {
        try await call("GET", "/v1/accounts/\(account)/presence")
    }

    fileprivate func setPresence(_ shown: Presence.State, of device: DeviceID) async throws {
        _ = try await send(
            "PUT", "/v1/presence?device=\(device)", body: JSONEncoder().encode(PresenceRequest(state: shown)))
    }
}
