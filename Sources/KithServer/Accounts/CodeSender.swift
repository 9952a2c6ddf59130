import Foundation
import KithModel

/// Sends the code of one request, in one transaction.
struct CodeSender {
    let request: CodeRequest
    /// The identity of the request, in canonical form.
    let identity: Identity
    let code: String
    let requester: Requester
    /// The account that gets the identity if no account has it.
    let account: AccountID
    let messages: MessageQueue
    let sms: SMSGuard
    let limits: CodeLimits
    let now: Timestamp
    let transaction: any Transaction

    /// Stores the code, and adds its message. A request with a known id sends nothing again.
    ///
    /// - Returns: The answer. A refusal of the SMS is returned and not thrown, because it may have paused a prefix, which must
    ///   not be rolled back.
    /// - Throws: ``ServerError`` if no code is sent for another reason: see ``CodeRefusal``.
    func send() throws -> Result<SentCode, SMSRefusal> {
        let subject = try messages.hash(of: identity, in: transaction)
        // Each code for an identity counts the previous ones.
        try transaction.lockName(subject)
        // Later codes were sent while the clock was ahead. If they counted, nobody could sign in until it has caught up. The
        // limits below do not count them either.
        let times = try CodeRow.times(
            of: subject, since: now - .days(1), until: now + limits.lifetime, in: transaction)
        if let known = try CodeRow.find(request.id, session: requester.session, in: transaction) {
            guard known.identity == identity, known.replaces == request.replaces else {
                throw CodeRefusal.idOfOther.error(at: now)
            }
            return .success(answer(after: times, created: known.state.created))
        }
        try checkRequest()
        try checkPause(after: times)
        let network = try messages.hash(of: requester.address.network, in: transaction)
        try checkQuotas(of: network)
        if case .phone(let number) = identity,
            let refusal = try sms.refusal(of: number, at: now, in: transaction)
        {
            return .failure(refusal)
        }
        let row = CodeRow(
            request, for: identity, of: account, hash: CodeRow.hash(code, for: requester.token), at: now)
        try row.insert(subject: subject, session: requester.session, network: network, in: transaction)
        try addMessage()
        return .success(answer(after: times + [now], created: now))
    }

    private func checkRequest() throws {
        guard try !CodeRow.exists(request.id, in: transaction) else { throw CodeRefusal.takenID.error(at: now) }
        if let old = request.replaces,
            try IdentityRegister(at: now).owner(of: old, in: transaction) != account
        {
            throw CodeRefusal.notOwned(old).error(at: now)
        }
    }

    private func checkPause(after times: [Timestamp]) throws {
        guard let next = CodeState.nextCode(after: times, limits: limits), now < next else { return }
        throw CodeRefusal.tooSoon(identity, until: next).error(at: now)
    }

    /// Checks the codes of the last day against the limits. Each code also counts the previous ones of the account, with all
    /// its sessions, and of the network. Every transaction locks these names in this order, and the prefix of a number after
    /// them.
    private func checkQuotas(of network: NetworkHash) throws {
        try transaction.lockName(account.uuid.data.suffix(8))
        try transaction.lockName(Data(network.text.utf8))
        let counted: [(column: String?, value: SQLValue, limit: Int, of: String)] = [
            ("account", .id(account), limits.ofAccount, "account"),
            ("session", .bytes(requester.session), limits.ofSession, "device"),
            ("network", .text(network.text), limits.ofNetwork, "network"),
            (nil, .null, limits.inAll, "server"),
        ]
        for (column, value, limit, name) in counted
        where try transaction.count(
            in: "code", column, value, since: now - .days(1), until: now + limits.lifetime) >= limit
        {
            throw CodeRefusal.quota(limit, of: name).error(at: now)
        }
    }

    private func addMessage() throws {
        // Anybody can order a code for anybody. A link in it would seem to come from the operator.
        let device = request.device.flatMap { PlainLine.hasLink($0) ? nil : $0 }
        let state = try messages.add(
            OutgoingMessage(
                id: request.id.retyped(), channel: identity.channel, recipient: identity.shown, kind: .code,
                languages: request.languages ?? [],
                values: [
                    "code": code, "device": device ?? "", "place": requester.address.description,
                    "minutes": String(limits.lifetime.wholeSeconds / 60),
                ], canUnsubscribe: false), at: now, in: transaction)
        if case .failed(let failure) = state {
            throw CodeRefusal(failure, of: identity, path: request.path, at: now).error(at: now)
        }
    }

    private func answer(after times: [Timestamp], created: Timestamp) -> SentCode {
        SentCode(
            id: request.id, identity: identity, digits: limits.digits, expires: created + limits.lifetime,
            again: CodeState.nextCode(after: times, limits: limits) ?? now)
    }
}

extension CodeRequest {
    /// The part of the request that names the number or email.
    var path: String { number == nil ? "$.identity" : "$.number" }
}
