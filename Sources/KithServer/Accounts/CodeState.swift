package import KithModel

/// The state of a sent code. It decides whether a check counts, and what it means.
///
///     sent ──right──▶ used ──right──▶ used    (the same session repeats a check, because the answer was lost)
///       │ wrong × 5            │
///       ▼                      ▼ 10 minutes
///     exhausted ────────────▶ expired
package struct CodeState: Hashable, Sendable {
    /// When the code was requested.
    package var created: Timestamp
    /// The number of checks that counted, right or wrong.
    package var tries = 0
    /// When the last of them was made.
    package var tried: Timestamp?
    /// Whether the code was entered correctly.
    package var isUsed = false

    package init(created: Timestamp) { self.created = created }

    /// The meaning of a check.
    package enum Verdict: Hashable, Sendable {
        /// The code is right.
        case right
        /// The code is wrong. This many tries are left. The check does not count if it is a repetition.
        case wrong(left: Int)
        /// The check came too early, and does not count.
        case tooEarly(until: Timestamp)
        /// The code has expired, and does not count.
        case expired
        /// The code was tried too often, and does not count.
        case exhausted
        /// Codes for this identity were tried too often within the window. The check does not count.
        case identityExhausted
    }

    /// Checks a code, and counts the check if it counts.
    ///
    /// - Parameters:
    ///   - isRight: Whether the code is the one that was sent.
    ///   - isRepeated: Whether the code is the one that was wrong the last time: the check is sent again, and does not count.
    ///   - triesOfIdentity: The checks of all codes for the identity within the window, this code's included.
    ///   - limits: The limits.
    ///   - now: The time of the check.
    /// - Returns: The meaning of the check.
    package mutating func check(
        isRight: Bool, isRepeated: Bool, triesOfIdentity: Int, limits: CodeLimits, at now: Timestamp
    ) -> Verdict {
        if now >= created + limits.lifetime { return .expired }
        if isUsed && isRight { return .right }
        if isRepeated { return .wrong(left: limits.tries - tries) }
        if tries >= limits.tries { return .exhausted }
        if triesOfIdentity >= limits.triesOfIdentity { return .identityExhausted }
        // The clock was ahead when the code was sent. It would be valid for too long.
        if created >= now + limits.lifetime { return .expired }
        if let tried, let pause = limits.pausesBetweenTries.clamped(at: tries), now < tried + pause {
            return .tooEarly(until: tried + pause)
        }
        tries += 1
        tried = now
        if isRight { isUsed = true }
        return isRight ? .right : .wrong(left: limits.tries - tries)
    }

    /// From when another code can be requested for an identity.
    ///
    /// - Parameters:
    ///   - sent: The times of the codes of the last day, oldest first.
    ///   - limits: The limits.
    /// - Returns: The time; nil if no code was sent.
    package static func nextCode(after sent: [Timestamp], limits: CodeLimits) -> Timestamp? {
        guard let last = sent.last else { return nil }
        if sent.count >= limits.ofIdentity { return sent[sent.count - limits.ofIdentity] + .days(1) }
        return limits.pausesBetweenCodes.clamped(at: sent.count - 1).map { last + $0 }
    }
}

extension [Duration] {
    /// The element at `index`, or the last one.
    fileprivate func clamped(at index: Int) -> Duration? { indices.contains(index) ? self[index] : last }
}
