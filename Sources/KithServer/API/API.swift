import KithModel

/// The dependencies of the operations, and the rate limits of their callers. One object, to which each request refers.
final class API: Sendable {
    let database: GuardedDatabase
    let signals: SignalSender
    let clock: ServerClock
    let live: LiveParts
    let ready: ReadyCheck
    let features: Features
    /// What a browser gets.
    let pages: WebPages
    /// The last uses of sessions, before they are stored.
    let uses = SessionUses()
    /// The visits of the pages of share links, before they are stored.
    let visits = VisitCounter()
    let metrics: ServerMetrics
    /// The maximum number of bytes of an account's records.
    let storage: Int
    /// The public address of the server, with which links begin.
    let origin: Origin

    init(
        database: GuardedDatabase, signals: SignalSender, clock: ServerClock, live: LiveParts, features: Features,
        pages: WebPages, metrics: ServerMetrics, storage: Int, origin: Origin
    ) {
        self.database = database
        self.signals = signals
        self.clock = clock
        self.live = live
        ready = ReadyCheck(database, clock: clock)
        self.features = features
        self.pages = pages
        self.metrics = metrics
        self.storage = storage
        self.origin = origin
    }

    /// Performs an operation if its caller is within the rate limit.
    func perform(_ operation: APIOperation, _ path: PathParameters, _ incoming: Incoming) async throws -> Answer {
        func call(token: String? = nil) -> Call {
            let ration = Ration(gate: live.gate, work: live.work, address: incoming.address, token: token)
            return Call(api: self, incoming: incoming, path: path, ration: ration, begun: clock.uptime())
        }
        switch operation.access {
        case .monitoring(let handle):
            try live.gate.pass(monitor: incoming.address)
            return try await handle(call())
        case .anyone(let handle):
            try live.gate.passWork(of: incoming.address)
            try live.gate.pass(address: incoming.address)
            return try await handle(call())
        case .newcomer(let handle):
            try live.gate.pass(newcomer: incoming.address)
            return try await handle(call())
        case .session(let handle):
            try live.gate.passWork(of: incoming.address)
            let session = try await authenticate(incoming)
            return try await handle(call(token: session.token), session)
        case .browser(let handle):
            try live.gate.passWork(of: incoming.address)
            let browser = try await browserSession(incoming)
            return try await handle(call(token: browser?.token), browser)
        case .operator(let handle):
            try live.gate.passWork(of: incoming.address)
            try live.gate.pass(address: incoming.address)
            return try await OperatorPageOperations.answer(call(), by: handle)
        }
    }

    /// The session of the browser's cookie; nil if there is none, or if it was closed. A request without a valid session
    /// counts toward the rate limit of its address, which limits the guessing of tokens.
    func browserSession(_ incoming: Incoming) async throws -> BrowserSession? {
        let token = PageCookie.account.value(in: incoming.headers, isSecure: origin.isSecure)
        let hash = token.map { Secret.sha256($0) }
        var found: (session: SessionDescription, used: Timestamp?)?
        do {
            if let hash { found = try await features.sessions.find(tokenHash: hash) }
            // Some pages are answered without another transaction.
            try await database.waitUntilDurable()
        } catch let closed as ServerError where closed.code == .accountClosed {
            // The account was deleted, so the browser has no session.
        }
        guard let token, let hash, let found else {
            try live.gate.pass(address: incoming.address)
            return nil
        }
        try live.gate.pass(session: token)
        uses.note(hash, stored: found.used, at: clock.time())
        return BrowserSession(found.session, token: token)
    }

    /// The session of the request. A request without a valid session counts toward the rate limit of its address, which
    /// limits the guessing of tokens.
    private func authenticate(_ incoming: Incoming) async throws -> CallerSession {
        guard let token = incoming.token else {
            try live.gate.pass(address: incoming.address)
            throw ServerError(.tokenMissing, "There is no token. Send “Authorization: Bearer” and the session's token.")
        }
        let hash = Secret.sha256(token)
        let found: (session: SessionDescription, used: Timestamp?)?
        do {
            found = try await features.sessions.find(tokenHash: hash)
        } catch let closed as ServerError where closed.code == .accountClosed {
            try live.gate.pass(address: incoming.address)
            throw closed
        }
        guard let found else {
            try live.gate.pass(address: incoming.address)
            throw ServerError.unknownToken
        }
        try live.gate.pass(session: token)
        uses.note(hash, stored: found.used, at: clock.time())
        return CallerSession(description: found.session, token: token)
    }
}
