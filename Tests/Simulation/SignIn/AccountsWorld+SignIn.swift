import Kith
import KithModel

/// The actions of people who sign in, and the outcomes.
extension AccountsWorld {
    private static let emails = ["ada@example.com", "ben@example.com", "cleo@example.com"]

    func signInDeed(on device: AccountsDevice) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: try await requestCode(on: device)
        case 25..<60: try await enterCode(on: device)
        case 60..<72: try await decide(on: device)
        case 72..<78: try await revokeSession(on: device)
        case 78..<81: try await logOutEverywhere(of: device)
        case 81..<96: await deliverMail()
        default:
            internet.time = internet.time + .minutes(Int64.random(in: 1...15, using: &random))
            note("time passes")
        }
    }

    private func requestCode(on device: AccountsDevice) async throws {
        guard let email = Self.emails.randomElement(using: &random), let identity = Identity("mailto:\(email)") else {
            return
        }
        let sent = try await call(device, "requests a code for \(email)") {
            try await device.client.signIn.requestCode(for: identity, device: device.name)
        }
        if let sent { requested[device.index, default: []].append(sent) }
        if random.oneIn(2) { await deliverMail() }
    }

    private func deliverMail() async {
        for part in internet.signIn { await part.deliver() }
        note("emails are delivered")
    }

    /// Enters the code of an email, or a wrong one.
    private func enterCode(on device: AccountsDevice) async throws {
        guard let sent = requested[device.index, default: []].randomElement(using: &random) else { return }
        let letter = internet.signIn.lazy.compactMap { $0.mail.letter(sent.id) }.first
        let isRight = letter != nil && !random.oneIn(4)
        let before = try await contents(of: device)
        // Whoever enters another one in the same minute enters the same.
        let wrong = "00000\(internet.time.milliseconds / 60_000 % 10)"
        let code = isRight ? letter?.code ?? "" : wrong
        try await switchStore(of: device, "enters a \(isRight ? "right" : "wrong") code") {
            let tokens = try self.tokens(of: before, on: device)
            let result = try await device.client.signIn.check(code, of: sent)
            // The session of an earlier sign-in on this device ends.
            if let old = tokens[result.account], try device.credentials.token(for: result.account) != old {
                self.loggedOut.insert(old)
            }
            return result.hidden
        }
    }

    /// The tokens of the accounts on a device whose sessions are open, as far as the device knows.
    func tokens(of contents: DeviceContents, on device: AccountsDevice) throws -> [AccountID: String] {
        var tokens: [AccountID: String] = [:]
        for store in contents.stores where store.state.isReadyToShare || store.state == .serverError {
            if let account = store.account { tokens[account] = try device.credentials.token(for: account) }
        }
        return tokens
    }

    /// Decides about a hidden store.
    private func decide(on device: AccountsDevice) async throws {
        let before = try await contents(of: device)
        guard let store = before.stores.filter(\.isUndecided).randomElement(using: &random),
            let decision = StoreDecision.allCases.randomElement(using: &random)
        else { return }
        try await call(device, "decides to \(decision) \(store.scope)") {
            let tokens = try self.tokens(of: before, on: device)
            let moved = try await device.client.accounts.decide(decision, about: store.scope)
            self.undecided[device.index]?.remove(store.scope)
            switch decision {
            case .keep: break
            case .move: self.noteMoved(moved, from: store, to: before.current, before, on: device)
            case .drop:
                self.auditor.dropped(before.droppable(within: store.scope), on: device.index)
                self.auditor.dropped(store.scope, on: device.index)
                self.noteEnded([store], tokens)
                if let account = store.account { self.internet.ended.insert(account) }
            }
        }
    }

    private func revokeSession(on device: AccountsDevice) async throws {
        let sessions = try await call(device, "lists its sessions") { try await device.client.session.all() }
        guard let other = sessions?.filter({ !$0.isCurrent }).randomElement(using: &random) else { return }
        try await call(device, "revokes the session of \(other.device ?? "a device")") {
            try await device.client.session.revoke(other.id)
        }
    }

    private func logOutEverywhere(of device: AccountsDevice) async throws {
        try await switchStore(of: device, "logs out everywhere", asks: false) {
            try await device.client.session.logOutEverywhere().hidden
        }
    }

    /// The reason why the device does not ask about a store that was hidden; nil if it asks.
    func undecidedFault(in contents: DeviceContents, of device: AccountsDevice) -> String? {
        for scope in undecided[device.index, default: []].sorted(by: { "\($0)" < "\($1)" }) {
            // A store that is gone, empty or shown needs no decision.
            guard let store = contents.store(scope), !contents.isEmpty(scope), !store.isCurrent else {
                undecided[device.index]?.remove(scope)
                continue
            }
            if !store.isUndecided { return "\(scope) was hidden, and nobody is asked about it any more" }
        }
        return nil
    }
}
