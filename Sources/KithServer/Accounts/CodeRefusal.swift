import KithModel

/// Why no code is sent, or why a code proves nothing.
enum CodeRefusal: Error {
    // MARK: Requests for a code

    /// The session has a code with this id for another identity.
    case idOfOther
    /// Another session has a code with this id.
    case takenID
    /// The account does not have the identity that is to be replaced.
    case notOwned(Identity)
    /// The last code for the identity was sent a short time ago.
    case tooSoon(Identity, until: Timestamp)
    /// The codes of the day are used up, by the account, the device, the network, or all.
    case quota(Int, of: String)
    /// The server sends no SMS to the number. `path` names the identity in the request.
    case sms(SMSRefusal, Identity, path: String)
    /// The address is none that can receive messages.
    case badRecipient(Identity, path: String)
    /// The messages of the day are used up, for the recipient or for all.
    case messageLimit(Identity)

    // MARK: Checks of a code

    /// The session has requested no such code.
    case unknown
    /// The code is wrong. This many tries are left, at least one.
    case wrong(left: Int)
    /// The code was tried too often.
    case exhausted
    case expired
    /// The check came too early.
    case tooEarly(until: Timestamp)
    /// Codes for the identity were tried too often.
    case identityExhausted
    /// Another account has the identity, which was to replace one of this account.
    case otherAccount(Identity)
    /// The code is right and was used before, and what it has given is not true any more.
    case used
    /// The code is right and was used before, and the session that it has opened was closed.
    case closed

    /// The refusal after a check; nil if the code is right.
    init?(_ verdict: CodeState.Verdict) {
        switch verdict {
        case .right: return nil
        case .wrong(let left) where left > 0: self = .wrong(left: left)
        case .wrong, .exhausted: self = .exhausted
        case .expired: self = .expired
        case .tooEarly(let until): self = .tooEarly(until: until)
        case .identityExhausted: self = .identityExhausted
        }
    }

    /// The refusal if the message with the code does not go out.
    init(_ failure: MessageFailure, of identity: Identity, path: String, at now: Timestamp) {
        switch failure.reason {
        case .badRecipient: self = .badRecipient(identity, path: path)
        case .prefixLimit: self = .sms(.tooFast(until: now + .seconds(3600)), identity, path: path)
        case .prefixPaused: self = .sms(.paused, identity, path: path)
        default: self = .messageLimit(identity)
        }
    }

    /// The error for the caller.
    func error(at now: Timestamp) -> ServerError {
        switch self {
        case .idOfOther:
            ServerError(.conflict, "This id belongs to a code for another identity.", path: "$.id")
        case .takenID: ServerError(.conflict, "This id is taken. Choose a new one.", path: "$.id")
        case .notOwned(let identity):
            ServerError(.notFound, "The account does not have \(identity.shown), so it cannot be replaced.")
        case .tooSoon(let identity, let until):
            ServerError(
                .tooFast,
                """
                A code for \(identity.shown) was sent a short time ago. You can request another one in \
                \(until.wait(from: now)).
                """, retryAfter: until - now)
        case .quota(let limit, let name):
            ServerError(
                .quotaExceeded, "The limit of \(limit) codes a day for this \(name) is reached. Try again tomorrow.",
                retryAfter: .days(1))
        case .sms(let refusal, let identity, let path): refusal.error(for: identity, path: path, at: now)
        case .badRecipient(let identity, let path):
            ServerError(.malformed, "No message can be sent to \(identity.shown).", path: path)
        case .messageLimit(let identity):
            ServerError(
                .quotaExceeded,
                "A daily limit of messages is reached, so no code can be sent to \(identity.shown). Try again tomorrow.",
                retryAfter: .days(1))
        case .unknown: ServerError(.notFound, "This session has requested no such code. Request a new one.")
        case .wrong(let left):
            ServerError(.codeWrong, "The code is wrong. \(left == 1 ? "One try is" : "\(left) tries are") left.")
        case .exhausted: ServerError(.codeExpired, "The code was tried too often. Request a new one.")
        case .expired: ServerError(.codeExpired, "The code has expired. Request a new one.")
        case .tooEarly(let until):
            ServerError(
                .tooFast, "Wait before the next try: you can try again in \(until.wait(from: now)).",
                retryAfter: until - now)
        case .identityExhausted:
            ServerError(
                .quotaExceeded, "Codes for this number or email were tried too often this month. Try again later.",
                retryAfter: .days(1))
        case .otherAccount(let identity):
            ServerError(
                .conflict,
                """
                Another account has \(identity.shown). Nothing was changed. To use that account on this device, sign in \
                with it.
                """)
        case .used: ServerError(.codeExpired, "The code was used before. Request a new one.")
        case .closed: ServerError(.codeExpired, "The code was used, and its session was closed.")
        }
    }
}

extension SMSRefusal {
    /// The error for somebody who has requested a code.
    fileprivate func error(for identity: Identity, path: String, at now: Timestamp) -> ServerError {
        switch self {
        case .otherCountry(let region):
            let place = region.map { "of \($0)" } ?? "such as \(identity.shown)"
            return ServerError(
                .forbidden, "This server sends no codes to numbers \(place). Choose one of its countries.")
        case .notMobile:
            return ServerError(
                .malformed, "\(identity.shown) is not a mobile number. Codes are sent to mobile numbers only.",
                path: path)
        case .tooFast(let until):
            return ServerError(
                .tooFast,
                "Too many codes were requested for numbers that begin like this one. Wait, or use an email address.",
                retryAfter: until - now)
        case .paused:
            return ServerError(
                .quotaExceeded,
                "At present, no codes are sent to numbers that begin like this one. Use an email address.",
                retryAfter: .days(1))
        case .budget(let until):
            return ServerError(
                .quotaExceeded, "The limit of SMS a day for this server is reached. Wait, or use an email address.",
                retryAfter: until - now)
        }
    }
}

extension Timestamp {
    /// The time from `now` until this moment, in words.
    fileprivate func wait(from now: Timestamp) -> String {
        let seconds = max(1, Int(((self - now) / .seconds(1)).rounded(.up)))
        switch seconds {
        case 1: return "a second"
        case ..<120: return "\(seconds) seconds"
        case ..<7_200: return "\((seconds + 59) / 60) minutes"
        default: return "\((seconds + 3_599) / 3_600) hours"
        }
    }
}
