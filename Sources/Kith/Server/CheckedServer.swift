import KithModel
import Synchronization

/// The server at the client's address. Before any data of an account is sent, it finds out which server answers and
/// whether the account belongs to it.
final class CheckedServer: Sendable {
    /// The connection; nil if the client was created without a server.
    let connection: ServerConnection?
    private let replica: Replica
    private let credentials: any CredentialStore
    /// The server that answered last; nil if that is not known.
    private let known = Mutex<ServerIdentity?>(nil)

    init(_ connection: ServerConnection?, _ replica: Replica, _ credentials: any CredentialStore) {
        (self.connection, self.replica, self.credentials) = (connection, replica, credentials)
    }

    /// The server that answers. It is asked once, and again after each time that it could not be reached, because the
    /// device may now be in another network, where the address belongs to another server.
    func currentIdentity(again: Bool = false) async throws -> ServerIdentity {
        if !again, let known = known.withLock(\.self) { return known }
        let answering = try await requiredConnection().identify()
        known.withLock { $0 = answering }
        return answering
    }

    /// The connection, for a request that needs one.
    ///
    /// - Throws: ``KithError`` with `noServer` if the client was created without a server.
    func requiredConnection() throws -> ServerConnection {
        guard let connection else { throw KithError(.noServer, "This client was made without a server.") }
        return connection
    }

    /// The address for links of an account: the connection's, or the stored one if the client works offline; nil if
    /// neither is known.
    func address(of account: ReplicaAccount) -> String? { connection?.address ?? account.home.address }

    /// Sends a request. If the server cannot be reached, the next request first asks again which server answers.
    func send<T: Sendable>(_ body: (ServerConnection) async throws -> T) async throws -> T {
        do {
            return try await body(requiredConnection())
        } catch let error as KithError where error.hasNoServerAnswered {
            forget()
            throw error
        }
    }

    /// Forgets which server answers, so that the next request asks again.
    func forget() { known.withLock { $0 = nil } }

    /// The server that has answered a request, with the id that its answer contains, if it contains one.
    func learn(_ id: ServerID?, of answering: ServerIdentity) -> ServerIdentity {
        guard let id else { return answering }
        learn(id)
        return ServerIdentity(id: id, address: answering.address)
    }

    /// Stores the server id that an answer contains. A proxy may hide `/ready`, where the id is usually read.
    private func learn(_ id: ServerID) { known.withLock { $0?.id = id } }

    /// Checks that the server that answers is the account's own server.
    ///
    /// - Throws: ``KithError`` with `otherServer` if it is not. In that case no data of the account may be sent.
    func checkServer(of account: ReplicaAccount) async throws {
        var answering = try await currentIdentity()
        let home = try await home(of: account)
        let verdict = home.verdict(on: answering)
        let isNameless = home.id != nil && answering.id == nil
        if verdict == .unknown || (verdict == .same && isNameless) {
            answering.id = try await serverID(ofTokenOf: account, at: home) ?? answering.id
        }
        switch home.verdict(on: answering) {
        case .other:
            forget()
            throw KithError.otherServer(home, answering)
        case .same where home.id != nil: try await storeServer(answering, of: account)
        case .same, .unknown: break
        }
    }

    /// The account's server, as it is stored now.
    private func home(of account: ReplicaAccount) async throws -> ServerIdentity {
        guard account.home == .unknown, let id = account.id else { return account.home }
        return try await replica.read { try ReplicaAccount.at(.account(id), $0.db)?.home } ?? account.home
    }

    /// Asks the server for its id with the account's token. No other data of the account is sent. If the account's
    /// server is not known, the server that accepts the token is the account's server.
    private func serverID(ofTokenOf account: ReplicaAccount, at home: ServerIdentity) async throws -> ServerID? {
        guard let id = account.id, let token = try credentials.token(for: id) else { return nil }
        do {
            let session = try await send { try await $0.with(token: token).description() }
            if let server = session.server { learn(server) }
            if home == .unknown {
                guard session.account == id else { throw KithError.doubtful(try await currentIdentity()) }
                try await storeServer(try await currentIdentity(), of: account)
            }
            return session.server
        } catch let error as KithError where error.endsSession {
            if home == .unknown { throw KithError.doubtful(try await currentIdentity()) }
            return (error.cause as? Problem)?.server
        }
    }

    /// Sends a request to the account's own server. Only that server can end the account's session.
    func send<T: Sendable>(
        for account: ReplicaAccount, _ body: (ServerConnection) async throws -> T
    ) async throws -> T {
        try await checkServer(of: account)
        do {
            let result = try await send(body)
            if let answering = known.withLock(\.self) { try await storeServer(answering, of: account) }
            return result
        } catch let error as KithError where error.endsSession {
            try await confirmRefusal(error, of: account)
            throw error
        }
    }

    /// Checks that the server that has refused the token is the account's own server.
    private func confirmRefusal(_ error: KithError, of account: ReplicaAccount) async throws {
        var answering = try await currentIdentity(again: true)
        answering.id = answering.id ?? (error.cause as? Problem)?.server
        let home = try await home(of: account)
        switch home.verdict(on: answering) {
        case .same: break
        case .other: throw KithError.otherServer(home, answering)
        case .unknown: throw KithError.doubtful(answering)
        }
    }

    /// Stores the server that answers as the account's server, if anything about it has changed.
    private func storeServer(_ answering: ServerIdentity, of account: ReplicaAccount) async throws {
        let home = ServerIdentity(
            id: answering.id ?? account.home.id, address: answering.address ?? account.home.address)
        guard let id = account.id, home != account.home else { return }
        // The account need not be the current one any more.
        try await Replica.forAnyAccount { [replica] in
            try await replica.write { try $0.change(.account(id)) { $0.home = home } }
        }
    }
}

extension KithError {
    static func otherServer(_ home: ServerIdentity, _ answering: ServerIdentity) -> KithError {
        // A proxy may hide the id, and a wrong address has none.
        let isNameless = home.id != nil && answering.id == nil
        let other =
            isNameless ? "what answers at \(answering) does not say which server it is" : "this is \(answering)"
        return KithError(
            .otherServer,
            """
            The account belongs to \(home), and \(other). Nothing was sent. Name the account's own server, or open a new \
            session for this one.
            """)
    }

    fileprivate static func doubtful(_ answering: ServerIdentity) -> KithError {
        KithError(
            .otherServer,
            """
            \(answering) does not accept the token, and this device does not know whether the account was opened \
            there. The account stays as it is. If the address is right, open a new session; the lists of this one can be moved.
            """)
    }
}
