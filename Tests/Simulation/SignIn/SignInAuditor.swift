import Foundation
import KithModel
import KithServer

/// Checks the laws of codes and messages from what people see: a person gets a message once; a code works once, in
/// time, and only in the session that requested it; the limits hold.
final class SignInAuditor {
    private struct Code {
        let identity: Identity
        let account: AccountID
        let token: String
        let sent: Timestamp
        /// The number of counted wrong checks.
        var wrong = 0
        /// The last wrong code.
        var lastWrong: String?
        var isAccepted = false
        /// The token of the session that it has opened last.
        var opened: String?
    }

    private let limits: CodeLimits
    private var codes: [CodeID: Code] = [:]
    /// The law that was broken; nil if none was.
    private(set) var fault: String?

    init(_ limits: CodeLimits) { self.limits = limits }

    /// A server has accepted a request for a code.
    func sent(_ request: CodeRequest, by account: AccountID, token: String, at time: Timestamp) {
        // A repeated request sends nothing.
        guard codes[request.id] == nil, let identity = request.identity else { return }
        let day = codes.values.filter { $0.sent > time - .days(1) }
        let same = day.filter { $0.identity == identity }.sorted { $0.sent < $1.sent }
        if same.count >= limits.ofIdentity { note("\(identity.shown) gets \(same.count + 1) codes in a day") }
        if day.count(where: { $0.account == account }) >= limits.ofAccount {
            note("\(account) requests more than \(limits.ofAccount) codes in a day")
        }
        if let last = same.last, let first = limits.pausesBetweenCodes.first {
            let pause =
                same.count > limits.pausesBetweenCodes.count
                ? limits.pausesBetweenCodes.last ?? first : limits.pausesBetweenCodes[same.count - 1]
            if time < last.sent + pause { note("\(identity.shown) gets a code after \(time - last.sent)") }
        }
        codes[request.id] = Code(identity: identity, account: account, token: token, sent: time)
    }

    /// A server says that a code is wrong. The check counts, unless it is sent again.
    func refused(_ id: CodeID, entered code: String, at time: Timestamp) {
        if codes[id]?.lastWrong == code { return }
        codes[id]?.lastWrong = code
        codes[id]?.wrong += 1
        if let code = codes[id], code.wrong > limits.tries { note("a code was tried \(code.wrong) times") }
        judgeTries(of: id, at: time)
    }

    /// A server says that a code is right.
    ///
    /// - Parameters:
    ///   - id: The code.
    ///   - token: The token of the session that has entered it.
    ///   - opened: The token of the session that it opens, if it opens one.
    ///   - time: The time of the check.
    ///   - isLive: Whether the server accepts a token.
    func accepted(
        _ id: CodeID, by token: String, opening opened: String?, at time: Timestamp,
        isLive: (String) async -> Bool
    ) async {
        guard let code = codes[id] else { return note("a code is accepted that nobody has requested") }
        if code.token != token { note("a code is accepted from another session than the one that asked") }
        if time >= code.sent + limits.lifetime { note("a code is accepted \(time - code.sent) after its request") }
        if !code.isAccepted && code.wrong >= limits.tries { note("a code is accepted after \(code.wrong) wrong ones") }
        if let before = code.opened, before != opened, await isLive(before) { note("a code has opened two sessions") }
        codes[id]?.isAccepted = true
        codes[id]?.opened = opened
        judgeTries(of: id, at: time)
    }

    /// The session that a code has opened before, if it has opened one.
    func opened(by id: CodeID) -> String? { codes[id]?.opened }

    private func judgeTries(of id: CodeID, at time: Timestamp) {
        guard let identity = codes[id]?.identity else { return }
        let tries = codes.values.filter { $0.identity == identity && $0.sent > time - limits.window }
            .reduce(0) { $0 + $1.wrong + ($1.isAccepted ? 1 : 0) }
        if tries > limits.triesOfIdentity { note("codes for \(identity.shown) were tried \(tries) times in a month") }
    }

    /// Judges the mailboxes: each request leads to one email at most.
    func judge(_ letters: [SimulatedMail.Letter]) {
        let codes = letters.filter { $0.kind == .code }
        let twice = Dictionary(grouping: codes) { "\($0.recipient) \($0.code)" }.first { $0.value.count > 1 }
        if let twice { note("\(twice.value[0].recipient) gets one code in \(twice.value.count) emails") }
    }

    private func note(_ fault: String) { self.fault = self.fault ?? fault }
}
